package org.habitline.safety.gates;

import java.util.ArrayList;
import java.util.List;
import org.habitline.safety.rules.FoldedText;

/** The words of a text as gates compare them: in lower case, without accents and apostrophes. */
final class Words {

  private static final String APOSTROPHES = "'’‘`´";

  private Words() {}

  static String plain(String text) {
    return FoldedText.of(text, sign -> APOSTROPHES.indexOf(sign) >= 0);
  }

  static List<String> of(String text) {
    var plain = plain(text);
    var words = new ArrayList<String>();
    var from = -1;
    for (int at = 0; at < plain.length(); ) {
      var sign = plain.codePointAt(at);
      if (!isOfAWord(sign)) {
        if (from >= 0) {
          words.add(plain.substring(from, at));
        }
        from = -1;
      } else if (from < 0) {
        from = at;
      }
      at += Character.charCount(sign);
    }
    if (from >= 0) {
      words.add(plain.substring(from));
    }
    return words;
  }

  private static boolean isOfAWord(int sign) {
    return Character.isLetterOrDigit(sign)
        || switch (Character.getType(sign)) {
          case Character.LETTER_NUMBER, Character.OTHER_NUMBER -> true;
          default -> false;
        };
  }
}
