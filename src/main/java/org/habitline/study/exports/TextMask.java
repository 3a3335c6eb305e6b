package org.habitline.study.exports;

import java.util.Collection;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

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
          "(?i)\\b(?:[a-z][a-z0-9+.-]{0,20}://\\S+|www\\.\\S+|(?:[\\p{L}\\d-]{1,63}\\.){1,9}"
              + "(?:[a-z]{2,12}/\\S*|(?:com|org|net|gov|edu|info|biz|app|dev|io|me|us|uk|ca|de|es|fr|mx|health|help|link|site|online)\\b))");

  /** At least seven digits, with what people write between them. */
  private static final Pattern NUMBER =
      Pattern.compile("(?<![\\p{L}\\d])\\+?\\(?\\d(?:[\\s()./-]{0,3}\\d){6,18}(?!\\d)");

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
            .map(Pattern::quote)
            .collect(Collectors.joining("|"));
    names =
        words.isEmpty()
            ? Optional.empty()
            : Optional.of(
                Pattern.compile(
                    "(?<![\\p{L}\\d])(?:" + words + ")(?![\\p{L}\\d])",
                    Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE));
  }

  /** Returns the text with masks. */
  String masked(String text) {
    var emails = EMAIL.matcher(text).replaceAll("[e-mail]");
    var links = LINK.matcher(emails).replaceAll("[link]");
    var numbers = NUMBER.matcher(links).replaceAll("[number]");
    return names.map(name -> name.matcher(numbers).replaceAll("[name]")).orElse(numbers);
  }
}
