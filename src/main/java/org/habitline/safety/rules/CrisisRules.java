package org.habitline.safety.rules;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.habitline.Hashes;
import org.habitline.safety.rules.Phrase.Steps;
import org.jspecify.annotations.Nullable;

/**
 * The rules in force. Every message is judged by the rules of all languages, because people change
 * language when they are in need. A verdict depends on the message alone. Immutable, and safe for
 * any number of threads.
 */
public final class CrisisRules {

  /** The longest text that is read whole, in characters (UTF-16); the inbox takes none longer. */
  static final int LONGEST = 10_000;

  /** The age of a minor where no study says otherwise; {@link #judge} does not depend on it. */
  private static final int USUAL_AGE = 18;

  /** The language whose texts are sent if the language of a rule has none. */
  private static final String ENGLISH = "en";

  private final Map<String, RuleReader.Language> languages;
  private final String version;

  private CrisisRules(Map<String, RuleReader.Language> languages, String version) {
    this.languages = languages;
    this.version = version;
  }

  /**
   * Reads the rules: the packaged files, and those in {@code config/safety} of the home folder,
   * which replace packaged files of the same name.
   *
   * @throws BrokenRules with every mistake if a file cannot be used
   */
  public static CrisisRules of(Path home) {
    return of(home, USUAL_AGE);
  }

  /**
   * Reads the rules as {@link #of(Path)} does.
   *
   * @param minAge the age in years under which somebody is a minor; 0 if nobody is
   * @throws BrokenRules as {@link #of(Path)} does
   */
  public static CrisisRules of(Path home, int minAge) {
    var files = RuleFiles.read(home, RuleFiles.SAFETY);
    return READ.get(new Read(files, minAge), it -> of(it.files(), it.minAge()));
  }

  /** What rules are read from. */
  private record Read(List<RuleFile> files, int minAge) {}

  /** The rules that were read lately: it takes a while, and the next start often reads the same. */
  private static final Cache<Read, CrisisRules> READ = Caffeine.newBuilder().maximumSize(4).build();

  private static CrisisRules of(List<RuleFile> files, int minAge) {
    var byLanguage = new TreeMap<String, List<RuleFile>>();
    files.forEach(
        file -> byLanguage.computeIfAbsent(file.language(), it -> new ArrayList<>()).add(file));
    // In parallel, because reading them is a good part of a start.
    var read =
        List.copyOf(byLanguage.entrySet()).parallelStream()
            .map(entry -> RuleReader.read(entry.getKey(), entry.getValue(), minAge))
            .toList();
    var languages = new LinkedHashMap<String, RuleReader.Language>();
    read.forEach(language -> languages.put(language.code(), language));
    var mistakes = read.stream().flatMap(language -> language.mistakes().stream()).toList();
    if (!mistakes.isEmpty()) {
      throw new BrokenRules(mistakes);
    }
    return new CrisisRules(languages, version(files));
  }

  private static String version(List<RuleFile> files) {
    var hashed = new StringBuilder();
    files.forEach(file -> hashed.append(file.at() + "\n" + file.yaml() + "\n"));
    return Hashes.sha256(hashed.toString()).substring(0, 12);
  }

  /** Returns a word that changes whenever a rule file changes, to be stored with a verdict. */
  public String version() {
    return version;
  }

  /** Returns the languages that have rules, such as {@code en}. */
  public Set<String> languages() {
    return Set.copyOf(languages.keySet());
  }

  /**
   * Returns what the rules say about a message. Takes a few milliseconds for 1,600 characters, and
   * never waits. Of a text longer than {@value #LONGEST} characters, only the beginning and the end
   * are read.
   */
  public Verdict judge(String message) {
    return judge(message, new Steps());
  }

  Verdict judge(String message, Steps steps) {
    var tokens = Tokenizer.tokens(shortened(message));
    return new Verdict(
        languages.values().stream()
            .flatMap(language -> language.rules().judge(tokens, steps).stream())
            .toList());
  }

  /**
   * Returns what the rules say about a message in which somebody says that they are younger than
   * the study allows. This is no danger, and {@link #judge} never reports it.
   */
  public Verdict judgeAge(String message) {
    var tokens = Tokenizer.tokens(shortened(message));
    var steps = new Steps();
    return new Verdict(
        languages.values().stream()
            .flatMap(language -> language.minors().judge(tokens, steps).stream())
            .toList());
  }

  /**
   * Returns the fixed text for what a rule found, for the country of the phone number.
   *
   * @param language the language of the person, or {@code null} if it is not known; it counts if
   *     there are no texts in the language of the rule, which is the one they wrote
   * @param country in two capital letters (ISO 3166-1), or {@code null} if it is not known
   * @param when when a person reads messages
   */
  public String text(
      Verdict.Finding found, @Nullable String language, @Nullable String country, Reading when) {
    var named = found.level() == Level.CRISIS && found.kind().hasText();
    var occasion = named ? found.kind().word() : CrisisTexts.CONCERN;
    return texts(found, language).of(occasion, country, when);
  }

  /** Returns the fixed text for later messages of an incident, as {@link #text} does. */
  public String holdingText(
      Verdict.Finding found, @Nullable String language, @Nullable String country, Reading when) {
    return texts(found, language).of(CrisisTexts.HOLDING, country, when);
  }

  private CrisisTexts texts(Verdict.Finding found, @Nullable String theirs) {
    var rule = found.rule().substring(0, found.rule().indexOf('/'));
    return texts(rule).or(() -> texts(theirs)).or(() -> texts(ENGLISH)).orElseThrow();
  }

  private Optional<CrisisTexts> texts(@Nullable String language) {
    return Optional.ofNullable(language)
        .flatMap(it -> Optional.ofNullable(languages.get(it)))
        .flatMap(RuleReader.Language::texts);
  }

  /** Returns what is wrong with the fixed texts, in sentences for staff. */
  public List<String> warnings() {
    var warnings = new ArrayList<String>();
    var without =
        languages.entrySet().stream()
            .filter(language -> language.getValue().texts().isEmpty())
            .map(Map.Entry::getKey)
            .sorted()
            .toList();
    if (!without.isEmpty()) {
      warnings.add(
          "There are crisis rules but no texts for "
              + String.join(", ", without)
              + ": people get the English texts. Add config/safety/<language>/texts.yaml.");
    }
    languages.forEach((language, its) ->
        its.texts()
            .map(CrisisTexts::missingCountries)
            .orElse(Map.of())
            .forEach((occasion, countries) ->
                warnings.add(
                    "The crisis texts of "
                        + language
                        + " have no text of "
                        + occasion
                        + " for "
                        + String.join(", ", countries)
                        + ": people there get the default text. Add it to "
                        + RuleFiles.SAFETY
                        + "/"
                        + language
                        + "/texts.yaml.")));
    return List.copyOf(warnings);
  }

  /** Returns the languages of which a fixed text does not say when a person reads messages. */
  public Set<String> languagesThatDoNotSayWhen() {
    return languages.entrySet().stream()
        .filter(language -> language.getValue().texts().filter(it -> !it.sayWhen()).isPresent())
        .map(Map.Entry::getKey)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String shortened(String message) {
    return message.length() <= LONGEST
        ? message
        : message.substring(0, LONGEST / 2)
            + "\n\n"
            + message.substring(message.length() - LONGEST / 2);
  }
}
