package org.habitline.messaging.inbox;

import java.util.Locale;
import java.util.regex.Pattern;

/** Normalises texts: as both databases can store them, and as keywords are compared. */
public final class PlainText {

  private static final Pattern AROUND = Pattern.compile("^[^\\p{L}\\p{N}]+|[^\\p{L}\\p{N}]+$");

  private static final Pattern STEERING =
      Pattern.compile("[\\u061C\\u200E\\u200F\\u202A-\\u202E\\u2066-\\u2069]");

  private PlainText() {}

  /**
   * Returns whether a text holds invisible characters that can make it look like another by
   * changing the direction of the text around them: marks, embeddings, overrides and isolates of
   * the Unicode Bidirectional Algorithm.
   */
  public static boolean steersDirection(String text) {
    return STEERING.matcher(text).find();
  }

  /** Returns the text in lower case, from its first letter or digit to its last. */
  public static String bare(String text) {
    return AROUND.matcher(text).replaceAll("").toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the text without NUL characters, which PostgreSQL refuses and H2 keeps, and without
   * unpaired surrogates, which are not characters.
   */
  public static String storable(String text) {
    if (text.chars().noneMatch(c -> c == 0 || Character.isSurrogate((char) c))) {
      return text;
    }
    var kept = new StringBuilder(text.length());
    text.codePoints()
        .filter(c -> c != 0 && !(c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE))
        .forEach(kept::appendCodePoint);
    return kept.toString();
  }
}
