package org.habitline.tools;

/** Texts a model wrote, made fit for a database and a phone. */
final class Words {

  private Words() {}

  /**
   * Returns the text on one line: runs of white space and line breaks become one space, other
   * control characters and halves of surrogate pairs (which PostgreSQL refuses) are dropped.
   */
  static String cleaned(String text) {
    var cleaned = new StringBuilder(text.length());
    text.codePoints()
        .forEach(c -> {
          if (Character.isWhitespace(c) || Character.isSpaceChar(c)) {
            if (!cleaned.isEmpty() && cleaned.charAt(cleaned.length() - 1) != ' ') {
              cleaned.append(' ');
            }
          } else if (!Character.isISOControl(c) && Character.getType(c) != Character.SURROGATE) {
            cleaned.appendCodePoint(c);
          }
        });
    return cleaned.toString().strip();
  }

  /** The length as people count it, in code points. */
  static int length(String text) {
    return text.codePointCount(0, text.length());
  }

  /** The text cut to at most {@code most} code points. */
  static String atMost(String text, int most) {
    return length(text) <= most ? text : text.substring(0, text.offsetByCodePoints(0, most)) + "…";
  }
}
