package org.habitline.rehearsal.model;

import static org.habitline.rehearsal.model.Clause.rule;

import java.time.ZoneId;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Recognizes the place or time zone that participants say they are in: cities that IANA zones are
 * named after, zones by name or abbreviation, and some other places in the same zones.
 */
final class Places {

  private static final Set<String> REGIONS =
      Set.of("Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific");

  /** Names of zones that are also ordinary words. */
  private static final Set<String> WORDS =
      Set.of(
          "wake",
          "center",
          "easter",
          "midway",
          "knox",
          "christmas",
          "north",
          "south",
          "west",
          "act");

  /** Names of clocks that are not places, so they count only before the word "time". */
  private static final Set<String> CLOCKS = Set.of("eastern", "central", "mountain", "pacific");

  private static final Map<String, List<String>> SHARED =
      Map.ofEntries(
          Map.entry(
              "America/New_York",
              List.of(
                  "eastern",
                  "us eastern",
                  "new york city",
                  "nyc",
                  "boston",
                  "washington",
                  "washington dc",
                  "miami",
                  "atlanta",
                  "philadelphia",
                  "florida")),
          Map.entry(
              "America/Chicago",
              List.of("central", "us central", "houston", "dallas", "austin", "texas")),
          Map.entry("America/Denver", List.of("mountain", "us mountain", "colorado", "utah")),
          Map.entry(
              "America/Los_Angeles",
              List.of(
                  "pacific",
                  "us pacific",
                  "la",
                  "san francisco",
                  "seattle",
                  "san diego",
                  "portland",
                  "las vegas",
                  "california")),
          Map.entry(
              "Europe/London",
              List.of(
                  "uk",
                  "england",
                  "scotland",
                  "wales",
                  "britain",
                  "manchester",
                  "edinburgh",
                  "glasgow",
                  "oxford",
                  "cambridge")),
          Map.entry("Europe/Dublin", List.of("ireland")),
          Map.entry(
              "Europe/Berlin",
              List.of("germany", "munich", "hamburg", "frankfurt", "cologne", "central european")),
          Map.entry("Europe/Vienna", List.of("austria")),
          Map.entry("Europe/Zurich", List.of("switzerland", "zürich", "geneva", "basel", "bern")),
          Map.entry("Europe/Paris", List.of("france", "lyon")),
          Map.entry("Europe/Madrid", List.of("spain", "barcelona")),
          Map.entry("Europe/Rome", List.of("italy", "milan")),
          Map.entry("Europe/Lisbon", List.of("portugal", "porto")),
          Map.entry("Europe/Amsterdam", List.of("netherlands", "holland", "rotterdam")),
          Map.entry("Europe/Brussels", List.of("belgium")),
          Map.entry("Europe/Stockholm", List.of("sweden")),
          Map.entry("Europe/Oslo", List.of("norway")),
          Map.entry("Europe/Copenhagen", List.of("denmark")),
          Map.entry("Europe/Helsinki", List.of("finland")),
          Map.entry("Europe/Warsaw", List.of("poland", "krakow")),
          Map.entry("Europe/Kyiv", List.of("ukraine", "kiev")),
          Map.entry("Europe/Athens", List.of("greece")),
          Map.entry(
              "Asia/Kolkata",
              List.of("india", "mumbai", "delhi", "new delhi", "bangalore", "bengaluru")),
          Map.entry("Asia/Shanghai", List.of("china", "beijing")),
          Map.entry("Asia/Tokyo", List.of("japan", "osaka", "kyoto")),
          Map.entry("Asia/Jerusalem", List.of("israel", "tel aviv")));

  /** Common abbreviations that mean one zone in most texts. */
  private static final Map<String, String> LETTERS =
      Map.ofEntries(
          Map.entry("est", "America/New_York"),
          Map.entry("edt", "America/New_York"),
          Map.entry("cst", "America/Chicago"),
          Map.entry("cdt", "America/Chicago"),
          Map.entry("mst", "America/Denver"),
          Map.entry("mdt", "America/Denver"),
          Map.entry("pst", "America/Los_Angeles"),
          Map.entry("pdt", "America/Los_Angeles"),
          Map.entry("gmt", "Europe/London"),
          Map.entry("bst", "Europe/London"),
          Map.entry("cet", "Europe/Berlin"),
          Map.entry("cest", "Europe/Berlin"),
          Map.entry("jst", "Asia/Tokyo"),
          Map.entry("aest", "Australia/Sydney"),
          Map.entry("utc", "Etc/UTC"));

  private static final Map<String, String> ZONES = zones();

  private static final String NAME = "[\\p{L}./_-]++";
  private static final String NAMES = "(" + NAME + "(?: " + NAME + "){0,2})";

  /** Matches a place after words such as "I'm in"; its longest known beginning counts. */
  private static final Pattern BEHIND =
      rule(
          "\\b(?:(?:i'?m|i am|we'?re|we are|i live|i'?ll be|i will be|i moved|i work|i stay"
              + "|living|based|located|staying|travell?ing|moved|moving|now|currently|here)"
              + "(?: (?:now|currently|back|over|here|living|based|staying|travell?ing|moving))*"
              + " (?:in|to)(?: the)?|time ?zone(?: is|:)?(?: in)?) "
              + NAMES);

  /** Matches a place before the word "time"; its longest known ending counts. */
  private static final Pattern BEFORE =
      rule("(?<![\\p{L}./_-])" + NAMES + "(?: standard| daylight| local)?(?: time ?zone| time)\\b");

  private static final Pattern IDENTIFIER = rule("\\b[a-z]+/[a-z_]+(?:/[a-z_]+)?\\b");
  private static final Pattern SPELLED =
      rule("\\b(?:" + String.join("|", LETTERS.keySet()) + ")\\b");

  private Places() {}

  /** A time zone found in a text, and the text without the words that name it. */
  record Told(String zone, String rest) {}

  static Optional<Told> in(String text) {
    return identifier(text).or(() -> behind(text)).or(() -> before(text)).or(() -> spelled(text));
  }

  private static Optional<Told> identifier(String text) {
    return IDENTIFIER
        .matcher(text)
        .results()
        .flatMap(found ->
            known(found.group()).map(zone -> told(text, zone, found.start(), found.end())).stream())
        .findFirst();
  }

  private static Optional<Told> behind(String text) {
    return BEHIND
        .matcher(text)
        .results()
        .flatMap(found -> {
          var words = found.group(1).split(" ", -1);
          for (int count = words.length; count > 0; count--) {
            var name = String.join(" ", Arrays.copyOf(words, count));
            var zone = CLOCKS.contains(name.toLowerCase(Locale.ROOT)) ? none() : known(name);
            if (zone.isPresent()) {
              var end = found.start(1) + name.length();
              return zone.map(id -> told(text, id, found.start(), end)).stream();
            }
          }
          return Optional.<Told>empty().stream();
        })
        .findFirst();
  }

  private static Optional<Told> before(String text) {
    return BEFORE
        .matcher(text)
        .results()
        .flatMap(found -> {
          var words = found.group(1).split(" ", -1);
          for (int from = 0; from < words.length; from++) {
            var name = String.join(" ", Arrays.copyOfRange(words, from, words.length));
            var zone = known(name);
            if (zone.isPresent()) {
              var start = found.end(1) - name.length();
              return zone.map(id -> told(text, id, start, found.end())).stream();
            }
          }
          return Optional.<Told>empty().stream();
        })
        .findFirst();
  }

  /**
   * Returns a zone by its abbreviation, which counts only in capital letters or right after a
   * number.
   */
  private static Optional<Told> spelled(String text) {
    return SPELLED
        .matcher(text)
        .results()
        .filter(found ->
            found.group().equals(found.group().toUpperCase(Locale.ROOT))
                || text.substring(0, found.start()).matches("(?is).*\\d ?(?:[ap]m )?"))
        .flatMap(found ->
            known(found.group()).map(zone -> told(text, zone, found.start(), found.end())).stream())
        .findFirst();
  }

  private static Told told(String text, String zone, int start, int end) {
    return new Told(zone, (text.substring(0, start) + " " + text.substring(end)).strip());
  }

  private static Optional<String> none() {
    return Optional.empty();
  }

  private static Optional<String> known(String name) {
    var plain = name.toLowerCase(Locale.ROOT).replace(".", "").replaceAll("[-_]+$", "");
    return Optional.ofNullable(ZONES.get(plain.replace('_', ' ')));
  }

  private static Map<String, String> zones() {
    var zones = new TreeMap<String, String>();
    ZoneId.getAvailableZoneIds().stream()
        .filter(id -> REGIONS.contains(id.split("/", -1)[0]))
        .sorted(Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()))
        .forEach(id -> {
          var city = id.substring(id.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
          zones.put(id.toLowerCase(Locale.ROOT).replace('_', ' '), id);
          if (!WORDS.contains(city)) {
            zones.putIfAbsent(city.replace('_', ' '), id);
          }
        });
    SHARED.forEach((zone, names) -> names.forEach(name -> zones.put(name, zone)));
    zones.putAll(LETTERS);
    return Map.copyOf(zones);
  }
}
