package org.habitline.study.exports;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.csv.CSVFormat;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Lines of an export, compared with those of Commons CSV. */
final class CsvLinesTest {

  /** Characters at which quoting begins or ends. */
  private static final List<String> CHARACTERS =
      List.of(
          "", "a", "Z", "0", " ", "\t", "\r", "\n", "!", "\"", "#", "$", "'", "+", ",", "-", "=",
          "~", "\u007f", "é", "😀");

  private static List<@Nullable String> values() {
    var values = new ArrayList<@Nullable String>();
    values.add(null);
    for (var start : CHARACTERS) {
      for (var middle : CHARACTERS) {
        for (var end : CHARACTERS) {
          values.add(start + middle + end);
        }
      }
    }
    return values;
  }

  @Test
  void valuesAreQuotedAsByCommonsCsv() throws IOException {
    for (var value : values()) {
      for (var line : List.of(asLine(value), asLine(value, "b"), asLine("a", value))) {
        var csv = new CsvLines();
        var written = new ByteArrayOutputStream();
        csv.add(line);
        csv.end();
        csv.writeTo(written);
        assertThat(written.toString(StandardCharsets.UTF_8))
            .isEqualTo(CSVFormat.RFC4180.format(line.toArray()) + "\r\n");
      }
    }
  }

  private static List<@Nullable String> asLine(@Nullable String... values) {
    var line = new ArrayList<@Nullable String>();
    for (var value : values) {
      line.add(value);
    }
    return line;
  }
}
