package org.habitline.storage;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/**
 * Makes ids for things that outlive a process: a prefix that names the kind, an underscore and 96
 * bits as 24 hexadecimal digits, such as {@code conv_5f0c…}. Any thread may call it.
 */
public final class Ids {

  private static final Pattern ID = Pattern.compile("^[a-z]++_[0-9a-f]{24}");

  private static final SecureRandom RANDOM = new SecureRandom();

  private static final int BYTES = 12;

  /** Bytes of an ordered id that hold the counter: a million ids a second for 12 days. */
  private static final int COUNTED_BYTES = 5;

  /** 56 random bits: any two of a million processes share them with a chance below 1 in 100,000. */
  private static final String BEGINNING = random(BYTES - COUNTED_BYTES);

  private static final AtomicLong NEXT = new AtomicLong();

  private Ids() {}

  private static String random(int bytes) {
    var random = new byte[bytes];
    RANDOM.nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  /** Returns a new random id. People may look things up by the first characters of such an id. */
  public static String next(String prefix) {
    return prefix + "_" + random(BYTES);
  }

  /**
   * Returns a new id for a table that grows to millions of rows. The ids of a process begin alike
   * and count up, so that rows written together also lie together in the index of their ids. With
   * random ids, almost every insert changes a different page of the index. Anyone who sees one id
   * can guess others: never use one as a secret.
   */
  public static String ordered(String prefix) {
    return prefix
        + "_"
        + BEGINNING
        + HexFormat.of().toHexDigits(NEXT.getAndIncrement(), 2 * COUNTED_BYTES);
  }

  /** Returns whether this is an id as this class makes them, which means nothing to people. */
  public static boolean isId(String value) {
    return ID.matcher(value).matches();
  }
}
