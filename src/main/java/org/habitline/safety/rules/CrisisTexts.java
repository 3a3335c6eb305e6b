package org.habitline.safety.rules;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.habitline.config.Section;
import org.jspecify.annotations.Nullable;

/**
 * The fixed texts of one language.
 *
 * @param byOccasion the text of each country and {@value #DEFAULT}, by occasion: the word of a
 *     {@link RiskKind}, {@value #CONCERN} or {@value #HOLDING}
 */
record CrisisTexts(Map<String, Map<String, String>> byOccasion) {

  /** The longest text, in characters (UTF-16). */
  private static final int LONGEST = 800;

  private static final Pattern COUNTRY = Pattern.compile("[A-Z]{2}");

  static final String DEFAULT = "default";
  static final String CONCERN = "concern";
  static final String HOLDING = "holding";

  /** Returns every occasion for which a language needs a text. */
  static Set<String> occasions() {
    var all = new TreeSet<>(Set.of(CONCERN, HOLDING));
    for (var kind : RiskKind.values()) {
      all.add(kind.word());
    }
    return all;
  }

  /**
   * Returns the texts of a language, or empty if none of its files has any. One occasion may be in
   * several files; a missing occasion is a mistake in the last of them.
   */
  static Optional<CrisisTexts> read(List<Section> files) {
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
    return Optional.of(new CrisisTexts(Map.copyOf(all)));
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
  String of(String occasion, @Nullable String country) {
    var texts = byOccasion.getOrDefault(occasion, Map.of());
    var own = country == null ? null : texts.get(country);
    return own == null ? texts.getOrDefault(DEFAULT, "") : own;
  }
}
