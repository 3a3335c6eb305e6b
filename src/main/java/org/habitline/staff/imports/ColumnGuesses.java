package org.habitline.staff.imports;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Guesses what a column of a spreadsheet is by its name. The names that it knows are in the
 * resource {@value #RESOURCE}; a field of the study is also found without its prefix.
 */
final class ColumnGuesses {

  static final String RESOURCE = "/import/columns.yaml";

  private static final TypeReference<Map<String, List<String>>> NAMES = new TypeReference<>() {};
  private static final Pattern BETWEEN_WORDS = Pattern.compile("[^\\p{L}\\p{N}]+");

  private static final Map<String, String> KNOWN = known();

  /** Names this short are near only with one letter wrong. */
  private static final int SHORT = 4;

  private final Map<String, String> columns = new HashMap<>();

  /**
   * @param accepted the columns of this study
   */
  ColumnGuesses(List<String> accepted) {
    for (var column : accepted) {
      columns.put(words(column), column);
      columns.putIfAbsent(words(column.substring(column.indexOf('.') + 1)), column);
    }
  }

  private static Map<String, String> known() {
    try (var yaml =
        Objects.requireNonNull(ColumnGuesses.class.getResourceAsStream(RESOURCE), RESOURCE)) {
      var known = new HashMap<String, String>();
      new YAMLMapper()
          .readValue(yaml, NAMES)
          .forEach((column, names) -> names.forEach(name -> known.put(words(name), column)));
      return Map.copyOf(known);
    } catch (IOException e) {
      throw new UncheckedIOException(RESOURCE + " cannot be read.", e);
    }
  }

  private static String words(String name) {
    return BETWEEN_WORDS.matcher(name.toLowerCase(Locale.ROOT)).replaceAll(" ").strip();
  }

  /** Returns the accepted column with the name that is nearest to a misspelt one. */
  Optional<String> near(String name) {
    var words = words(name);
    var most = words.length() > SHORT ? 2 : 1;
    return Stream.concat(columns.entrySet().stream(), KNOWN.entrySet().stream())
        .filter(it -> it.getKey().length() >= SHORT && distance(words, it.getKey()) <= most)
        .min(
            Comparator.<Map.Entry<String, String>>comparingInt(it -> distance(words, it.getKey()))
                .thenComparing(Map.Entry::getValue))
        .map(Map.Entry::getValue);
  }

  /**
   * Returns how many letters must be added, left out, changed or swapped with their neighbour to
   * make one word of the other.
   */
  private static int distance(String a, String b) {
    var costs = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          costs[i][j] = i + j;
          continue;
        }
        var same = a.charAt(i - 1) == b.charAt(j - 1);
        costs[i][j] =
            Math.min(
                costs[i - 1][j - 1] + (same ? 0 : 1),
                Math.min(costs[i - 1][j], costs[i][j - 1]) + 1);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          costs[i][j] = Math.min(costs[i][j], costs[i - 2][j - 2] + 1);
        }
      }
    }
    return costs[a.length()][b.length()];
  }

  /** Returns the accepted column that a name suggests. */
  Optional<String> of(String name) {
    var words = words(name);
    return Optional.ofNullable(columns.get(words)).or(() -> Optional.ofNullable(KNOWN.get(words)));
  }
}
