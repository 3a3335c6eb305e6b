package org.habitline.protocol;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.habitline.config.Section;
import org.jspecify.annotations.Nullable;

/**
 * How a study asks people whether they take part: the section {@code consent} of {@code
 * config/study.yaml}. Safe for any number of threads.
 */
public final class ConsentPlan {

  /** The age under which nobody takes part, unless the study says otherwise. */
  public static final int USUAL_AGE = 18;

  private static final int HIGHEST_AGE = 99;
  private static final int LONGEST = 100;
  private static final int MOST_MESSAGES = 10;

  private final Optional<String> version;
  private final int minAge;
  private final String language;
  private final Map<String, List<String>> texts;
  private final Map<String, ConsentLanguage> languages;

  private ConsentPlan(
      Optional<String> version,
      int minAge,
      String language,
      Map<String, List<String>> texts,
      Map<String, ConsentLanguage> languages) {
    this.version = version;
    this.minAge = minAge;
    this.language = language;
    this.texts = texts;
    this.languages = languages;
  }

  /**
   * Reads the section.
   *
   * @param known the languages in which Habitline can ask
   */
  static ConsentPlan read(Section consent, Map<String, ConsentLanguage> known) {
    consent.only("version", "text", "language", "yes", "no", "questions", "min_age");
    var language = Objects.requireNonNullElse(consent.optionalText("language", LONGEST), "en");
    if (!known.containsKey(language)) {
      consent.refuse("language", "expected one of " + names(known) + ", found '" + language + "'");
    }
    var version = consent.optionalText("version", LONGEST);
    if (version == null && consent.has("text")) {
      consent.refuse(
          "version",
          "missing; expected a name for this text, such as \"1\", recorded with each yes");
    } else if (version != null && !consent.has("text")) {
      consent.refuse("text", "missing; expected the text that people are asked to agree to");
    }
    var texts = consent.has("text") ? texts(consent, language) : Map.<String, List<String>>of();
    for (var one : texts.keySet()) {
      if (!known.containsKey(one)) {
        consent.refuse(
            "text",
            "there are no questions in '"
                + one
                + "'; expected one of "
                + names(known)
                + ", or a file config/consent/"
                + one
                + ".yaml");
      }
    }
    if (!texts.isEmpty() && !texts.containsKey(language)) {
      consent.refuse("text", "expected a text in '" + language + "', which is the default");
    }
    return new ConsentPlan(
        Optional.ofNullable(version),
        consent.integer("min_age", 0, HIGHEST_AGE, USUAL_AGE),
        language,
        texts,
        changed(consent, language, known));
  }

  private static String names(Map<String, ConsentLanguage> known) {
    return String.join(", ", new TreeMap<>(known).keySet());
  }

  private static Map<String, List<String>> texts(Section consent, String language) {
    if (!consent.isSection("text")) {
      return Map.of(language, messages(consent, "text"));
    }
    var texts = new LinkedHashMap<String, List<String>>();
    var languages = consent.section("text");
    languages.keys().forEach(one -> texts.put(one, messages(languages, one)));
    return texts;
  }

  /** Returns one text, or a list of texts, each of which is a message of its own. */
  private static List<String> messages(Section section, String key) {
    if (!section.isList(key)) {
      return List.of(section.text(key, ConsentLanguage.LONGEST_TEXT));
    }
    var messages = section.list(key, ConsentLanguage.LONGEST_TEXT);
    if (messages.isEmpty() || messages.size() > MOST_MESSAGES) {
      section.refuse(key, "expected 1 to " + MOST_MESSAGES + " messages");
      return List.of("");
    }
    return messages;
  }

  private static Map<String, ConsentLanguage> changed(
      Section consent, String language, Map<String, ConsentLanguage> known) {
    var languages = new LinkedHashMap<>(known);
    consent
        .optionalSection("questions")
        .ifPresent(section ->
            section
                .sections()
                .forEach((name, questions) -> {
                  var old = languages.get(name);
                  if (old == null) {
                    section.refuse(name, "unknown language; expected one of " + names(known));
                  } else {
                    languages.put(name, old.with(questions));
                  }
                }));
    words(consent, "yes", language)
        .forEach(
            (name, words) -> languages.computeIfPresent(name, (key, old) -> old.withYes(words)));
    words(consent, "no", language)
        .forEach(
            (name, words) -> languages.computeIfPresent(name, (key, old) -> old.withNo(words)));
    languages.forEach((name, read) -> {
      for (var word : read.yes()) {
        if (read.no().contains(word)) {
          consent.refuse("yes", "'" + word + "' is a word for yes and for no; expected one");
        }
      }
    });
    return languages;
  }

  /** Returns the words of a key by language: a list is in the default language. */
  private static Map<String, Set<String>> words(Section consent, String key, String language) {
    if (!consent.has(key)) {
      return Map.of();
    }
    if (!consent.isSection(key)) {
      return Map.of(language, ConsentLanguage.words(consent, key));
    }
    var words = new LinkedHashMap<String, Set<String>>();
    var languages = consent.section(key);
    languages.keys().forEach(one -> words.put(one, ConsentLanguage.words(languages, one)));
    return words;
  }

  /**
   * Returns the version of the text that people are asked to agree to, or empty if the study asks
   * nobody, because consent is obtained elsewhere.
   */
  public Optional<String> version() {
    return version;
  }

  /** Returns the age under which nobody takes part, in years; 0 if age does not matter. */
  public int minAge() {
    return minAge;
  }

  /**
   * Returns the messages that ask for consent, in order; the last one says how to answer.
   *
   * @param of the language of the participant, or {@code null} if it is not known: people whose
   *     language has no text get the text in the default language
   */
  public List<String> asking(@Nullable String of) {
    var spoken = spoken(of);
    var messages = new ArrayList<>(texts.getOrDefault(spoken, List.of()));
    if (!messages.isEmpty()) {
      messages.addLast(messages.removeLast() + "\n\n" + question(ConsentQuestion.REPLY, of));
    }
    return messages;
  }

  /** Returns what Habitline says, in the language that {@link #asking} uses. */
  public String question(ConsentQuestion question, @Nullable String of) {
    return Objects.requireNonNull(languages.get(spoken(of))).questions().getOrDefault(question, "");
  }

  private String spoken(@Nullable String of) {
    return of != null && texts.containsKey(of) ? of : language;
  }

  /** Returns whether a text is a clear yes, in any of the languages. */
  public boolean isYes(String text) {
    var bare = ConsentLanguage.bare(text);
    return languages.values().stream().anyMatch(it -> it.yes().contains(bare));
  }

  /** Returns whether a text is a clear no, in any of the languages. */
  public boolean isNo(String text) {
    var bare = ConsentLanguage.bare(text);
    return languages.values().stream().anyMatch(it -> it.no().contains(bare));
  }

  /** Returns whether a text asks for the question again, after a no. */
  public boolean reopens(String text) {
    var bare = ConsentLanguage.bare(text);
    return isYes(text) || languages.values().stream().anyMatch(it -> it.reopen().contains(bare));
  }

  /** Returns the age that a text is, in years, or empty if it is anything but one clear age. */
  public Optional<Integer> age(String text) {
    if (text.strip().startsWith("-")) {
      return Optional.empty();
    }
    var bare = ConsentLanguage.bare(text);
    return languages.values().stream().flatMap(it -> it.age(bare).stream()).findFirst();
  }

  /**
   * Returns a sentence about each thing that the consent text does not seem to mention. It looks
   * for words only: a text that mentions everything may still be wrong, and the reverse.
   */
  public List<String> hints() {
    var hints = new ArrayList<String>();
    texts.forEach((name, messages) -> {
      var bare = ConsentLanguage.bare(String.join("\n", messages));
      for (var topic : ConsentTopic.values()) {
        if (!Objects.requireNonNull(languages.get(name)).mentions(topic, bare)) {
          hints.add("The consent text (" + name + ") does not mention " + topic.what() + ".");
        }
      }
    });
    return hints;
  }
}
