package org.habitline.study.exports;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.habitline.Patterns;

/**
 * Masks what names a person in a text: phone numbers, e-mail addresses, links and given names. A
 * date or an amount that looks like a phone number is masked too: too much is better than too
 * little.
 */
final class TextMask {

  private static final Pattern EMAIL =
      Pattern.compile("[\\p{L}\\d._%+-]{1,64}@[\\p{L}\\d-]{1,63}(?:\\.[\\p{L}\\d-]{1,63}){1,9}");

  private static final Pattern LINK =
      Pattern.compile(
          "(?i)"
              + Patterns.WORD_BOUNDARY
              + "(?:[a-z][a-z0-9+.-]{0,20}://\\S+|www\\.\\S+|(?:[\\p{L}\\d-]{1,63}\\.){1,9}"
              + "(?:[a-z]{2,12}/\\S*|(?:com|org|net|gov|edu|info|biz|app|dev|io|me|us|uk|ca|de|es|fr|mx|health|help|link|site|online)\\b))");

  /** At least seven digits, with what people write between them. */
  private static final Pattern NUMBER =
      Pattern.compile("(?<![\\p{L}\\d])\\+?\\(?\\d(?:[\\s()./-]{0,3}\\d){6,18}(?!\\d)");

  private static final int FEWEST_DIGITS = 7;

  private static final int SHORTEST_NAME = 2;

  private static final Pattern BETWEEN_NAMES = Pattern.compile("[\\s,]+");

  private final Optional<Pattern> names;

  /**
   * @param known names that are known, each in one or several words
   */
  TextMask(Collection<String> known) {
    var words =
        known.stream()
            .flatMap(BETWEEN_NAMES::splitAsStream)
            .filter(word -> word.length() >= SHORTEST_NAME)
            .distinct()
            .toList();
    names = words.isEmpty() ? Optional.empty() : Optional.of(pattern(words));
  }

  /** Looks for first characters first: that is cheaper than looking behind every character. */
  private static Pattern pattern(List<String> words) {
    var initials =
        words.stream()
            .map(word -> word.substring(0, word.offsetByCodePoints(0, 1)))
            // Java's patterns do not know that these two differ only in case.
            .map(initial -> initial.equals("ß") ? "ßẞ" : initial)
            .map(Pattern::quote)
            .collect(Collectors.joining());
    var any = words.stream().map(Pattern::quote).collect(Collectors.joining("|"));
    return Pattern.compile(
        "(?=[" + initials + "])(?<![\\p{L}\\d])(?:" + any + ")(?![\\p{L}\\d])",
        Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE);
  }

  /** Returns the text with masks. Searches only for what a text can contain. */
  String masked(String text) {
    var masked = text;
    if (masked.indexOf('@') >= 0) {
      masked = EMAIL.matcher(masked).replaceAll("[e-mail]");
    }
    if (masked.contains("://") || hasDotInside(masked)) {
      masked = LINK.matcher(masked).replaceAll("[link]");
    }
    if (hasDigits(masked)) {
      masked = NUMBER.matcher(masked).replaceAll("[number]");
    }
    return names.isPresent() ? names.get().matcher(masked).replaceAll("[name]") : masked;
  }

  /** Returns whether a dot is followed by anything but a space or line end. */
  private static boolean hasDotInside(String text) {
    for (int dot = text.indexOf('.'); dot >= 0; dot = text.indexOf('.', dot + 1)) {
      if (dot + 1 < text.length() && text.charAt(dot + 1) != ' ' && text.charAt(dot + 1) != '\n') {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a text has as many digits as the shortest number. */
  private static boolean hasDigits(String text) {
    var digits = 0;
    for (int i = 0; i < text.length() && digits < FEWEST_DIGITS; i++) {
      digits += text.charAt(i) >= '0' && text.charAt(i) <= '9' ? 1 : 0;
    }
    return digits == FEWEST_DIGITS;
  }
}
