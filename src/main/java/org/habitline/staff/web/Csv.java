package org.habitline.staff.web;

import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.habitline.study.exports.CsvLines;
import org.jspecify.annotations.Nullable;

/** Writes small tables as CSV files (RFC 4180). A cell without a value is empty. */
public final class Csv {

  private static final String LINE_END = "\r\n";

  /** What a cell may hold only between quotation marks. */
  private static final Pattern QUOTED = Pattern.compile("[,\"\r\n]");

  private Csv() {}

  /**
   * Returns the answer that downloads a table. Texts that a spreadsheet program would take for
   * formulas are {@linkplain CsvLines#guarded guarded}.
   */
  public static MutableHttpResponse<String> file(
      String name, List<String> columns, List<? extends List<? extends @Nullable Object>> rows) {
    return HttpResponse.ok(text(columns, rows))
        .contentType(MediaType.TEXT_CSV_TYPE)
        .header(HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=\"" + name + "\"");
  }

  private static String text(
      List<String> columns, List<? extends List<? extends @Nullable Object>> rows) {
    var text = new StringBuilder(line(columns));
    rows.forEach(row -> text.append(line(row)));
    return text.toString();
  }

  private static String line(List<? extends @Nullable Object> cells) {
    return cells.stream().map(Csv::cell).collect(Collectors.joining(",", "", LINE_END));
  }

  private static String cell(@Nullable Object value) {
    var words =
        switch (value) {
          case null -> "";
          case String text -> CsvLines.guarded(text);
          default -> value.toString();
        };
    return QUOTED.matcher(words).find() ? '"' + words.replace("\"", "\"\"") + '"' : words;
  }
}
