package org.habitline.safety.rules;

import java.text.Normalizer;
import java.util.Locale;
import java.util.function.IntPredicate;

/**
 * Texts as rules and gates compare them: decomposed (NFKD), in lower case, without combining marks
 * and format characters, which are invisible. Its time is linear in the length of the text.
 */
public final class FoldedText {

  private static final int ASCII = 0x80;

  private FoldedText() {}

  /**
   * Returns a text in this form.
   *
   * @param removed which other characters are left out, by their code points after decomposition
   */
  public static String of(String text, IntPredicate removed) {
    var plain = new StringBuilder(text.length());
    for (int at = 0; at < text.length(); ) {
      var sign = text.codePointAt(at);
      at += Character.charCount(sign);
      if (sign >= ASCII) {
        // Decomposing a whole text also sorts its marks, which are left out here.
        Normalizer.normalize(Character.toString(sign), Normalizer.Form.NFKD)
            .codePoints()
            .filter(part -> !isInvisible(part) && !removed.test(part))
            .forEach(plain::appendCodePoint);
      } else if (!removed.test(sign)) {
        plain.append((char) sign);
      }
    }
    return plain.toString().toLowerCase(Locale.ROOT);
  }

  private static boolean isInvisible(int sign) {
    return switch (Character.getType(sign)) {
      case Character.NON_SPACING_MARK,
          Character.ENCLOSING_MARK,
          Character.COMBINING_SPACING_MARK,
          Character.FORMAT ->
          true;
      default -> false;
    };
  }
}
