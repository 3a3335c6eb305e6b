package org.habitline.tools;

/** Cleans texts that a model wrote, for a database and a phone. */
final class Words {

  private Words() {}

  /**
   * Returns the text on one line: runs of white space and line breaks become one space; other
   * control characters and unpaired surrogates (which PostgreSQL refuses) are removed.
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

  /** Returns the length in code points, close to what people count. */
  static int length(String text) {
    return text.codePointCount(0, text.length());
  }

  /** Returns the text cut to at most {@code most} code points, with an ellipsis if it was cut. */
  static String atMost(String text, int most) {
    return length(text) <= most ? text : text.substring(0, text.offsetByCodePoints(0, most)) + "…";
  }
}
