package org.habitline.protocol;

import java.text.Normalizer;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.habitline.config.Section;

/**
 * What Habitline says and understands in one language when it asks for consent: a file of {@code
 * config/consent}, with what the study changes about it.
 *
 * @param yes texts that are a yes, as {@link #bare} writes them
 * @param no texts that are a no
 * @param reopen texts that ask for the question again after a no
 * @param ages patterns of texts that are an age
 * @param numbers the words for numbers
 * @param mentions the phrases that mention a topic
 */
record ConsentLanguage(
    Map<ConsentQuestion, String> questions,
    Set<String> yes,
    Set<String> no,
    Set<String> reopen,
    List<Pattern> ages,
    Map<String, Integer> numbers,
    Map<ConsentTopic, Set<String>> mentions) {

  static final int LONGEST_TEXT = 1_000;
  private static final int LONGEST_WORDS = 100;
  private static final int OLDEST = 120;
  private static final String AGE = "<age>";

  private static final Pattern ACCENTS = Pattern.compile("\\p{M}+");
  private static final Pattern APOSTROPHES = Pattern.compile("['’‘`´]");
  private static final Pattern SIGNS = Pattern.compile("[^\\p{L}\\p{N}]+");
  private static final Pattern DIGITS = Pattern.compile("[0-9]{1,3}");

  static ConsentLanguage read(Section file) {
    file.only("questions", "yes", "no", "reopen", "ages", "numbers", "mentions");
    var numbers = new HashMap<String, Integer>();
    file.optionalSection("numbers")
        .ifPresent(words ->
            words
                .keys()
                .forEach(word -> numbers.put(bare(word), words.integer(word, 1, OLDEST, 1))));
    return new ConsentLanguage(
        questions(file.section("questions"), Map.of()),
        words(file, "yes"),
        words(file, "no"),
        words(file, "reopen"),
        ages(file, numbers.keySet()),
        Map.copyOf(numbers),
        mentions(file.section("mentions")));
  }

  /** Returns the texts of a section, and those given for keys that it does not have. */
  private static Map<ConsentQuestion, String> questions(
      Section section, Map<ConsentQuestion, String> otherwise) {
    var known = List.of(ConsentQuestion.values());
    section.only(known.stream().map(ConsentQuestion::word).toArray(String[]::new));
    var texts = new EnumMap<ConsentQuestion, String>(ConsentQuestion.class);
    for (var question : known) {
      var other = otherwise.get(question);
      texts.put(
          question,
          other != null && !section.has(question.word())
              ? other
              : section.text(question.word(), LONGEST_TEXT));
    }
    return texts;
  }

  /** Returns a list of texts as they are compared; a missing or empty one is a mistake. */
  static Set<String> words(Section section, String key) {
    var words =
        section.optionalTexts(key, LONGEST_WORDS).stream()
            .map(ConsentLanguage::bare)
            .collect(Collectors.toCollection(LinkedHashSet::new));
    if (words.isEmpty()) {
      section.refuse(key, "expected a list of words such as [\"yes\", \"i agree\"]");
    } else if (words.contains("")) {
      section.refuse(key, "expected words of letters and digits");
    }
    return words;
  }

  private static List<Pattern> ages(Section file, Set<String> numbers) {
    var number =
        numbers.stream().map(Pattern::quote).collect(Collectors.joining("|", "([0-9]{1,3}|", ")"));
    var phrases = file.optionalTexts("ages", LONGEST_WORDS);
    if (phrases.isEmpty()) {
      file.refuse("ages", "expected a list of phrases with " + AGE);
    }
    for (int i = 0; i < phrases.size(); i++) {
      if (!phrases.get(i).contains(AGE)) {
        file.refuse("ages", i, "expected a phrase with " + AGE);
      }
    }
    return phrases.stream()
        .filter(phrase -> phrase.contains(AGE))
        .map(phrase -> {
          var at = phrase.indexOf(AGE);
          var before = bare(phrase.substring(0, at));
          var after = bare(phrase.substring(at + AGE.length()));
          return Pattern.compile(
              (before.isEmpty() ? "" : Pattern.quote(before + " "))
                  + number
                  + (after.isEmpty() ? "" : Pattern.quote(" " + after)));
        })
        .toList();
  }

  private static Map<ConsentTopic, Set<String>> mentions(Section section) {
    var topics = List.of(ConsentTopic.values());
    section.only(topics.stream().map(ConsentTopic::word).toArray(String[]::new));
    var mentions = new EnumMap<ConsentTopic, Set<String>>(ConsentTopic.class);
    topics.forEach(topic -> mentions.put(topic, words(section, topic.word())));
    return mentions;
  }

  /** Returns this language with the texts that a study gives instead. */
  ConsentLanguage with(Section questions) {
    return new ConsentLanguage(
        questions(questions, this.questions), yes, no, reopen, ages, numbers, mentions);
  }

  /** Returns this language with the words for yes that a study gives instead. */
  ConsentLanguage withYes(Set<String> words) {
    return new ConsentLanguage(questions, words, no, reopen, ages, numbers, mentions);
  }

  /** Returns this language with the words for no that a study gives instead. */
  ConsentLanguage withNo(Set<String> words) {
    return new ConsentLanguage(questions, yes, words, reopen, ages, numbers, mentions);
  }

  /** Returns the age that a text is, in years, or empty if it is anything else. */
  Optional<Integer> age(String bare) {
    for (var pattern : ages) {
      var found = pattern.matcher(bare);
      if (found.matches()) {
        var said = found.group(1);
        var age =
            DIGITS.matcher(said).matches() ? Integer.valueOf(said) : numbers.getOrDefault(said, 0);
        return Optional.of(age).filter(it -> it > 0 && it <= OLDEST);
      }
    }
    return Optional.empty();
  }

  /** Returns whether a text mentions a topic. */
  boolean mentions(ConsentTopic topic, String bare) {
    var text = " " + bare + " ";
    return mentions.getOrDefault(topic, Set.of()).stream()
        .anyMatch(phrase -> text.contains(" " + phrase + " "));
  }

  /**
   * Returns a text in lower case, without accents, apostrophes and signs, with one blank between
   * words. A fraction, a minus or a percent sign leaves no single number.
   */
  static String bare(String text) {
    var plain = ACCENTS.matcher(Normalizer.normalize(text, Normalizer.Form.NFKD)).replaceAll("");
    var joined = APOSTROPHES.matcher(plain).replaceAll("").toLowerCase(Locale.ROOT);
    return SIGNS.matcher(joined).replaceAll(" ").strip();
  }
}
