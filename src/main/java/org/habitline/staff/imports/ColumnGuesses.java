package org.habitline.staff.imports;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Guesses what a column of a spreadsheet is by its name. The names that it knows are in the
 * resource {@value #RESOURCE}; a field of the study is also found without its prefix.
 */
final class ColumnGuesses {

  static final String RESOURCE = "/import/columns.yaml";

  private static final TypeReference<Map<String, List<String>>> NAMES = new TypeReference<>() {};
  private static final Pattern BETWEEN_WORDS = Pattern.compile("[^\\p{L}\\p{N}]+");

  private static final Map<String, String> KNOWN = known();

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

  /** Returns the accepted column that a name suggests. */
  Optional<String> of(String name) {
    var words = words(name);
    return Optional.ofNullable(columns.get(words)).or(() -> Optional.ofNullable(KNOWN.get(words)));
  }
}
