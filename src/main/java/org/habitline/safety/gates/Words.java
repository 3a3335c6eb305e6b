package org.habitline.safety.gates;

import java.text.Normalizer;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The words of a text as gates compare them: in lower case, without accents and apostrophes. */
final class Words {

  private static final Pattern MARKS = Pattern.compile("[\\p{M}\\p{Cf}'’‘`´]+");
  private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}]+");

  private Words() {}

  static String plain(String text) {
    return MARKS
        .matcher(Normalizer.normalize(text, Normalizer.Form.NFKD))
        .replaceAll("")
        .toLowerCase(Locale.ROOT);
  }

  static List<String> of(String text) {
    return WORD.matcher(plain(text)).results().map(MatchResult::group).toList();
  }
}
