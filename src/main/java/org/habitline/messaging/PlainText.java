package org.habitline.messaging;

/** Texts as both databases can hold them. */
public final class PlainText {

  private PlainText() {}

  /**
   * Returns the text without NUL characters, which PostgreSQL refuses and H2 keeps, and without
   * halves of surrogate pairs, which are no characters.
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
