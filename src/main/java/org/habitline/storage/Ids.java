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

  private static final Pattern ID = Pattern.compile("[a-z]+_[0-9a-f]{24}");

  private static final SecureRandom RANDOM = new SecureRandom();

  private static final int BYTES = 12;

  /** The bits of an ordered id that count, enough for a million ids a second for 12 days. */
  private static final int COUNTED_BYTES = 5;

  /** With 56 random bits, two of a million processes begin alike with a chance of 1 in 100,000. */
  private static final String BEGINNING = random(BYTES - COUNTED_BYTES);

  private static final AtomicLong NEXT = new AtomicLong();

  private Ids() {}

  private static String random(int bytes) {
    var random = new byte[bytes];
    RANDOM.nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  /** Returns a new random id. People may know things by the beginning of such an id. */
  public static String next(String prefix) {
    return prefix + "_" + random(BYTES);
  }

  /**
   * Returns a new id for a row of a table of millions. The ids of a process begin alike and count
   * up, so that rows written together also lie together in the index of their ids. With random ids,
   * the database reads and writes a page of its own for each of them. Who knows such an id can
   * guess others.
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
