package org.habitline.safety.rules;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.habitline.config.Section;
import org.jspecify.annotations.Nullable;

/**
 * The fixed texts of one language.
 *
 * @param byOccasion the text of each country and {@value #DEFAULT}, by occasion: the word of a
 *     {@link RiskKind}, {@value #CONCERN} or {@value #HOLDING}
 * @param reading the sentences that say when a person reads messages; empty if no text has one
 */
record CrisisTexts(Map<String, Map<String, String>> byOccasion, Optional<ReadingWords> reading) {

  /** The longest text, in characters (UTF-16). */
  private static final int LONGEST = 800;

  private static final Pattern COUNTRY = Pattern.compile("[A-Z]{2}");

  static final String DEFAULT = "default";
  static final String CONCERN = "concern";
  static final String HOLDING = "holding";

  /** Returns every occasion for which a language with texts needs one. */
  static Set<String> occasions() {
    var all = new TreeSet<>(Set.of(CONCERN, HOLDING));
    for (var kind : RiskKind.values()) {
      if (kind.hasText()) {
        all.add(kind.word());
      }
    }
    return all;
  }

  /**
   * Returns the texts of a language, or empty if none of its files has any. One occasion may be in
   * several files; a missing occasion is a mistake in the last of them.
   */
  static Optional<CrisisTexts> read(String language, List<Section> files) {
    var reading =
        files.stream()
            .flatMap(file -> file.optionalSection("reading").stream())
            .map(words -> ReadingWords.read(language, words))
            .findFirst();
    var found = files.stream().flatMap(file -> file.optionalSection("texts").stream()).toList();
    if (found.isEmpty()) {
      return Optional.empty();
    }
    var occasions = occasions();
    var all = new HashMap<String, Map<String, String>>();
    for (var texts : found) {
      texts.only(occasions.toArray(String[]::new));
      texts.sections().forEach((occasion, countries) -> all.put(occasion, read(countries)));
    }
    occasions.stream()
        .filter(occasion -> !all.containsKey(occasion))
        .forEach(occasion ->
            found.getLast().refuse(occasion, "missing; expected a text for each country"));
    if (reading.isEmpty()
        && all.values().stream()
            .flatMap(texts -> texts.values().stream())
            .anyMatch(text -> text.contains(ReadingWords.SENTENCE))) {
      found
          .getLast()
          .refuse(
              "", ReadingWords.SENTENCE + " stands in a text; expected the key reading as well");
    }
    return Optional.of(new CrisisTexts(Map.copyOf(all), reading));
  }

  private static Map<String, String> read(Section countries) {
    var texts = new HashMap<String, String>();
    if (!countries.has(DEFAULT)) {
      countries.refuse(DEFAULT, "missing; expected the text for every other country");
    }
    for (var country : countries.keys()) {
      if (!country.equals(DEFAULT) && !COUNTRY.matcher(country).matches()) {
        countries.refuse(country, "expected default or a country in two capital letters");
      }
      texts.put(country, countries.text(country, LONGEST));
    }
    return Map.copyOf(texts);
  }

  /** Returns the text for a country, or the default one if it has none or is not known. */
  String of(String occasion, @Nullable String country, Reading when) {
    var texts = byOccasion.getOrDefault(occasion, byOccasion.getOrDefault(HOLDING, Map.of()));
    var own = country == null ? null : texts.get(country);
    var text = own == null ? texts.getOrDefault(DEFAULT, "") : own;
    return reading.map(words -> text.replace(ReadingWords.SENTENCE, words.say(when))).orElse(text);
  }

  /** Returns whether a text says when a person reads messages. */
  boolean sayWhen() {
    return byOccasion.values().stream()
        .allMatch(texts ->
            texts.values().stream().allMatch(text -> text.contains(ReadingWords.SENTENCE)));
  }

  /**
   * Returns the occasions with texts for countries that lack a country which another occasion has,
   * each with the countries: people there get the default text.
   */
  Map<String, Set<String>> missingCountries() {
    var all = new TreeSet<String>();
    byOccasion.values().forEach(texts -> all.addAll(texts.keySet()));
    var missing = new TreeMap<String, Set<String>>();
    byOccasion.forEach((occasion, texts) -> {
      var lacks = new TreeSet<>(all);
      lacks.removeAll(texts.keySet());
      if (!lacks.isEmpty() && texts.size() > 1) {
        missing.put(occasion, lacks);
      }
    });
    return missing;
  }
}
