package org.habitline.storage;

import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Makes ids for things that outlive a process: a prefix that names the kind, and 96 random bits.
 */
public final class Ids {

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
}
