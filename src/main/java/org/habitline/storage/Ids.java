package org.habitline.storage;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * Makes ids for things that outlive a process: a prefix that names the kind, and 96 random bits.
 */
public final class Ids {

  private static final Pattern ID = Pattern.compile("[a-z]+_[0-9a-f]{24}");

  private static final SecureRandom RANDOM = new SecureRandom();

  private Ids() {}

  /**
   * Returns a new id such as {@code conv_5f0c…}: the prefix, an underscore and 24 hexadecimal
   * digits.
   */
  public static String next(String prefix) {
    var bytes = new byte[12];
    RANDOM.nextBytes(bytes);
    return prefix + "_" + HexFormat.of().formatHex(bytes);
  }

  /** Returns whether this is an id as {@link #next} makes them, which means nothing to people. */
  public static boolean isId(String value) {
    return ID.matcher(value).matches();
  }
}
