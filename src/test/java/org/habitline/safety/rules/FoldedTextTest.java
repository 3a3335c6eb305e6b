package org.habitline.safety.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.text.Normalizer;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class FoldedTextTest {

  private static final int AT_A_TIME = 1_024;
  private static final Pattern INVISIBLE = Pattern.compile("[\\p{M}\\p{Cf}]+");

  @Test
  void everyCharacterIsReadAsIfTheWholeTextWereDecomposedAtOnce() {
    for (int from = 0; from <= Character.MAX_CODE_POINT; from += AT_A_TIME) {
      var text = new StringBuilder();
      for (int sign = from; sign < from + AT_A_TIME; sign++) {
        if (Character.getType(sign) != Character.SURROGATE) {
          text.append('a').appendCodePoint(sign);
        }
      }
      assertThat(FoldedText.of(text.toString(), sign -> sign == '-'))
          .as("from U+%04X", from)
          .isEqualTo(atOnce(text.toString()).replace("-", ""));
    }
  }

  @Test
  void marksInAnyOrderAndALetterThatDependsOnItsPlaceMakeNoDifference() {
    var text = "Ça a\u0323\u0301 a\u0301\u0323 ΟΔΟΣ, Ὀδυσσεύς İstanbul ﬁn ½ 한글 e\u200dx";
    assertThat(FoldedText.of(text, sign -> false)).isEqualTo(atOnce(text));
  }

  private static String atOnce(String text) {
    return INVISIBLE
        .matcher(Normalizer.normalize(text, Normalizer.Form.NFKD))
        .replaceAll("")
        .toLowerCase(Locale.ROOT);
  }
}
