package org.habitline;

/**
 * What patterns share that read texts of strangers, models and files. Such a text can be long and
 * hostile, so no pattern may take more than linear time.
 */
public final class Patterns {

  /**
   * The same as {@code \b} beside an ASCII letter or digit. At each combining mark, Java's own goes
   * back to the first mark of the run, which is quadratic; this one goes back four marks.
   */
  public static final String WORD_BOUNDARY =
      "(?:(?=\\w)(?<!\\w|[\\p{L}\\p{Nd}]\\p{Mn}{1,4})|(?<=\\w)(?![\\w\\p{Mn}]))";

  private static final String LINE_ENDS = "\n\u000B\f\r\u0085\u2028\u2029";

  private Patterns() {}

  /**
   * Returns a text for patterns to read, in which each run of blanks of any script is one blank, or
   * one newline if the run ends a line. Positions differ from those in the text.
   */
  public static String foldBlanks(String text) {
    var folded = new StringBuilder(text.length());
    for (int at = 0; at < text.length(); ) {
      if (!isBlank(text.charAt(at))) {
        folded.append(text.charAt(at));
        at++;
        continue;
      }
      var endsLine = false;
      for (; at < text.length() && isBlank(text.charAt(at)); at++) {
        endsLine |= LINE_ENDS.indexOf(text.charAt(at)) >= 0;
      }
      folded.append(endsLine ? '\n' : ' ');
    }
    return folded.toString();
  }

  private static boolean isBlank(char sign) {
    return Character.isWhitespace(sign)
        || Character.isSpaceChar(sign)
        || LINE_ENDS.indexOf(sign) >= 0;
  }
}
