package org.habitline.safety.rules;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.habitline.config.Mistakes;
import org.habitline.config.Section;
import org.habitline.config.YamlText;
import org.habitline.safety.rules.LanguageRules.Negation;
import org.habitline.safety.rules.Phrase.Term;

/**
 * Reads the rule files of one language, and refuses any key or value that it does not know. What
 * one file defines (sets, spelling) counts in every file of the language.
 */
final class RuleReader {

  /** Nobody younger is looked for: smaller numbers are mostly about something else. */
  private static final int YOUNGEST = 8;

  /** From this age on, nobody who is still at school is old enough. */
  private static final int ADULT = 18;

  private static final int LONGEST_PHRASE = 1_000;
  private static final int LONGEST_WORD = 60;
  private static final int LONGEST_SOURCE = 500;
  private static final int USUAL_REACH = 3;
  private static final int LONGEST_REACH = 8;

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,59}");

  private final String language;
  private final int minAge;
  private final Map<RuleFile, Mistakes> mistakes = new LinkedHashMap<>();
  private final Map<RuleFile, Section> roots = new LinkedHashMap<>();

  private final Map<String, List<String>> sets = new TreeMap<>();
  private final Map<String, String> variants = new LinkedHashMap<>();
  private final Set<String> typos = new TreeSet<>();
  private final Set<String> ordinary = new TreeSet<>();
  private final Map<String, String> sounds = new LinkedHashMap<>();
  private final Set<Term> terms = new HashSet<>();
  private final Set<Term> termsOfMinors = new HashSet<>();
  private final Set<String> ids = new HashSet<>();

  private final List<Phrase> exceptions = new ArrayList<>();
  private final List<Rule> rules = new ArrayList<>();
  private final List<Phrase> negations = new ArrayList<>();
  private final List<Phrase> noNegations = new ArrayList<>();
  private final Set<String> ends = new LinkedHashSet<>();
  private int reach = USUAL_REACH;

  /**
   * The rules of a language and its fixed texts.
   *
   * @param code the language, such as {@code en}
   * @param minors finds people who say that they are younger than the study allows
   * @param texts empty if the language has none
   * @param mistakes found in its files; if there are any, the rules must not be used
   */
  record Language(
      String code,
      LanguageRules rules,
      LanguageRules minors,
      Optional<CrisisTexts> texts,
      List<String> mistakes) {}

  private RuleReader(String language, int minAge) {
    this.language = language;
    this.minAge = minAge;
  }

  /**
   * Returns the rules and texts of one language.
   *
   * @param minAge the age in years under which somebody is a minor; 0 if nobody is
   */
  static Language read(String language, List<RuleFile> files, int minAge) {
    var reader = new RuleReader(language, minAge);
    for (var file : files) {
      var mistakes = new Mistakes(file.at());
      reader.mistakes.put(file, mistakes);
      YamlText.parse(file.yaml(), mistakes).ifPresent(root -> reader.roots.put(file, root));
    }
    var rules = reader.read();
    var minors = reader.minors();
    var texts = CrisisTexts.read(language, List.copyOf(reader.roots.values()));
    var found =
        reader.mistakes.values().stream().flatMap(mistakes -> mistakes.all().stream()).toList();
    return new Language(language, rules, minors, texts, found);
  }

  private LanguageRules read() {
    for (var root : roots.values()) {
      root.only(
          "sets",
          "spelling",
          "typos",
          "ordinary",
          "sounds",
          "negation",
          "exceptions",
          "rules",
          "minors",
          "reading",
          "texts");
      root.optionalSection("sets").ifPresent(this::sets);
      root.optionalSection("spelling").ifPresent(this::spelling);
      root.optionalSection("sounds").ifPresent(this::sounds);
      typos.addAll(words(root, "typos"));
      ordinary.addAll(words(root, "ordinary"));
    }
    var phrases = new PhraseReader(sets, singleWords());
    for (var root : roots.values()) {
      root.optionalSection("sets").ifPresent(section -> checkSets(section, phrases));
      root.optionalSection("negation").ifPresent(section -> negation(section, phrases));
      root.optionalSection("exceptions").ifPresent(section -> exceptions(section, phrases));
      root.optionalSection("rules").ifPresent(section -> rules(section, phrases));
    }
    ends.forEach(word -> terms.add(new Term(word, false)));
    return new LanguageRules(
        new Spelling(new Spelling.Words(variants, typos, ordinary, sounds), terms),
        new Negation(negations, noNegations, ends, reach),
        exceptions,
        rules);
  }

  /**
   * Returns the rules that find minors. They share spelling and negation with the rules of dangers,
   * and nothing else: a phrase of one never changes what the other finds.
   */
  private LanguageRules minors() {
    var phrases = new ArrayList<Phrase>();
    var exceptions = new ArrayList<Phrase>();
    for (var root : roots.values()) {
      root.optionalSection("minors")
          .ifPresent(section -> {
            section.only("numbers", "phrases", "school", "exceptions");
            var withAges = new TreeMap<>(sets);
            var numbers = words(section, "numbers");
            withAges.put("minor", ages(numbers, minAge - 1));
            withAges.put("at-most-next", ages(numbers, minAge));
            var reader = new PhraseReader(withAges, singleWords());
            if (minAge > YOUNGEST) {
              phrases.addAll(phrases(section, "phrases", reader, termsOfMinors));
              var school = phrases(section, "school", reader, termsOfMinors);
              phrases.addAll(minAge >= ADULT ? school : List.of());
              exceptions.addAll(phrases(section, "exceptions", reader, termsOfMinors));
            }
          });
    }
    ends.forEach(word -> termsOfMinors.add(new Term(word, false)));
    return new LanguageRules(
        new Spelling(new Spelling.Words(variants, typos, ordinary, sounds), termsOfMinors),
        new Negation(negations, noNegations, ends, reach),
        exceptions,
        phrases.isEmpty()
            ? List.of()
            : List.of(
                new Rule(
                    language + "/minors", Level.CRISIS, RiskKind.UNDERAGE, phrases, List.of())));
  }

  /**
   * Returns the numbers from {@link #YOUNGEST} to an age, in digits and in words.
   *
   * @param words the words for the numbers from {@link #YOUNGEST} on
   */
  private static List<String> ages(List<String> words, int last) {
    var ages = new ArrayList<String>();
    for (int age = YOUNGEST; age <= Math.max(last, YOUNGEST); age++) {
      ages.add(String.valueOf(age));
      if (age - YOUNGEST < words.size()) {
        ages.add(words.get(age - YOUNGEST));
      }
    }
    return ages;
  }

  /** Returns the variants of one word, which no message contains once it is spelled. */
  private Set<String> singleWords() {
    var words = new HashSet<String>();
    variants.keySet().stream().filter(variant -> !variant.contains(" ")).forEach(words::add);
    return words;
  }

  private void sets(Section section) {
    for (var name : section.keys()) {
      named(section, name);
      var phrases = section.optionalTexts(name, LONGEST_PHRASE);
      if (phrases.isEmpty()) {
        section.refuse(name, "expected a list of phrases");
      }
      if (sets.putIfAbsent(name, phrases) != null) {
        section.refuse(name, "another file defines this set too; expected it once");
      }
    }
  }

  private void checkSets(Section section, PhraseReader reader) {
    for (var name : section.keys()) {
      var phrases = section.optionalTexts(name, LONGEST_PHRASE);
      for (int i = 0; i < phrases.size(); i++) {
        try {
          reader.part(phrases.get(i));
        } catch (PhraseReader.Unreadable e) {
          section.refuse(name, i, String.valueOf(e.getMessage()));
        }
      }
    }
  }

  private void spelling(Section section) {
    for (var key : section.keys()) {
      var spelling = plain(key);
      for (var variant : section.optionalTexts(key, LONGEST_WORD)) {
        var before = variants.putIfAbsent(plain(variant), spelling);
        if (before != null && !before.equals(spelling)) {
          section.refuse(
              key, "'" + variant + "' is already spelled '" + before + "'; expected one");
        }
      }
    }
  }

  private void sounds(Section section) {
    for (var letters : section.keys()) {
      if (letters.length() > 2) {
        section.refuse(letters, "expected one or two letters");
      }
      sounds.put(letters, section.text(letters, 2));
    }
  }

  private static List<String> words(Section section, String key) {
    return section.optionalTexts(key, LONGEST_WORD).stream().map(RuleReader::plain).toList();
  }

  private static String plain(String text) {
    return Tokenizer.plain(text).replace("'", "").replace("’", "");
  }

  private void negation(Section section, PhraseReader reader) {
    section.only("words", "except", "ends", "reach");
    negations.addAll(phrases(section, "words", reader));
    noNegations.addAll(phrases(section, "except", reader));
    ends.addAll(words(section, "ends"));
    reach = section.integer("reach", 0, LONGEST_REACH, USUAL_REACH);
  }

  private void exceptions(Section section, PhraseReader reader) {
    section
        .sections()
        .forEach((id, exception) -> {
          identified(section, id);
          exception.only("why", "phrases");
          exception.text("why", LONGEST_SOURCE);
          exceptions.addAll(required(exception, reader));
        });
  }

  private void rules(Section section, PhraseReader reader) {
    section
        .sections()
        .forEach((id, rule) -> {
          identified(section, id);
          rule.only("kind", "level", "source", "phrases", "concern_if");
          rule.text("source", LONGEST_SOURCE);
          rules.add(
              new Rule(
                  language + "/" + id,
                  word(rule, "level", Level.CRISIS, Stream.of(Level.CONCERN, Level.CRISIS)),
                  word(
                      rule,
                      "kind",
                      RiskKind.SUICIDE_OR_SELF_HARM,
                      Stream.of(RiskKind.values()).filter(RiskKind.ofRules()::contains)),
                  required(rule, reader),
                  phrases(rule, "concern_if", reader)));
        });
  }

  private void identified(Section section, String id) {
    named(section, id);
    if (!ids.add(id)) {
      section.refuse(id, "another rule or exception has this name; expected a name of its own");
    }
  }

  private static void named(Section section, String name) {
    if (!NAME.matcher(name).matches()) {
      section.refuse(name, "expected a name in lower-case letters, digits and -");
    }
  }

  private static <E extends Enum<E>> E word(
      Section section, String key, E otherwise, Stream<E> accepted) {
    var given = section.text(key, LONGEST_WORD);
    var values = accepted.toList();
    return values.stream()
        .filter(value -> value.name().toLowerCase(Locale.ROOT).equals(given))
        .findFirst()
        .orElseGet(() -> {
          section.refuse(
              key,
              "expected one of %s, found '%s'"
                  .formatted(
                      String.join(
                          ", ",
                          values.stream()
                              .map(value -> value.name().toLowerCase(Locale.ROOT))
                              .toList()),
                      given));
          return otherwise;
        });
  }

  private List<Phrase> required(Section section, PhraseReader reader) {
    if (!section.has("phrases")) {
      section.refuse("phrases", "missing; expected a list of phrases");
    }
    return phrases(section, "phrases", reader);
  }

  private List<Phrase> phrases(Section section, String key, PhraseReader reader) {
    return phrases(section, key, reader, terms);
  }

  private static List<Phrase> phrases(
      Section section, String key, PhraseReader reader, Set<Term> terms) {
    var texts = section.optionalTexts(key, LONGEST_PHRASE);
    var phrases = new ArrayList<Phrase>();
    for (int i = 0; i < texts.size(); i++) {
      try {
        var phrase = reader.read(texts.get(i));
        phrase.terms(terms::add);
        phrases.add(phrase);
      } catch (PhraseReader.Unreadable e) {
        section.refuse(key, i, String.valueOf(e.getMessage()));
      }
    }
    return List.copyOf(phrases);
  }
}
