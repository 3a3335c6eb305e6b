package org.habitline.messaging.inbox;

import java.util.Locale;
import java.util.regex.Pattern;

/** Normalises texts: as both databases can store them, and as keywords are compared. */
public final class PlainText {

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
    int from = 0;
    int to = text.length();
    while (from < to && !isLetterOrNumber(text.codePointAt(from))) {
      from += Character.charCount(text.codePointAt(from));
    }
    while (from < to && !isLetterOrNumber(text.codePointBefore(to))) {
      to -= Character.charCount(text.codePointBefore(to));
    }
    return text.substring(from, to).toLowerCase(Locale.ROOT);
  }

  private static boolean isLetterOrNumber(int sign) {
    return Character.isLetterOrDigit(sign)
        || Character.getType(sign) == Character.LETTER_NUMBER
        || Character.getType(sign) == Character.OTHER_NUMBER;
  }

  /**
   * Returns the text without NUL characters, which PostgreSQL refuses and H2 keeps, and without
   * unpaired surrogates, which are not characters.
   */
  public static String storable(String text) {
    if (isPlain(text)) {
      return text;
    }
    var kept = new StringBuilder(text.length());
    text.codePoints()
        .filter(c -> c != 0 && !(c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE))
        .forEach(kept::appendCodePoint);
    return kept.toString();
  }

  private static boolean isPlain(String text) {
    for (int at = 0; at < text.length(); at++) {
      if (text.charAt(at) == 0 || Character.isSurrogate(text.charAt(at))) {
        return false;
      }
    }
    return true;
  }
}
