package org.habitline.staff.web;

import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes small tables as CSV files (RFC 4180). A cell without a value is empty. */
public final class Csv {

  private static final String LINE_END = "\r\n";

  /** What a cell may hold only between quotation marks. */
  private static final Pattern QUOTED = Pattern.compile("[,\"\r\n]");

  private Csv() {}

  /** Returns the answer that downloads a table; the values are written as they are. */
  public static MutableHttpResponse<String> file(
      String name, List<String> columns, List<? extends List<? extends @Nullable Object>> rows) {
    return HttpResponse.ok(text(columns, rows))
        .contentType(MediaType.TEXT_CSV_TYPE)
        .header(HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=\"" + name + "\"");
  }

  /** Returns a text so that no spreadsheet program takes it for a formula. */
  public static @Nullable String guarded(@Nullable String text) {
    return text != null && !text.isEmpty() && "=+-@\t\r".indexOf(text.charAt(0)) >= 0
        ? "'" + text
        : text;
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
    var words = value == null ? "" : value.toString();
    return QUOTED.matcher(words).find() ? '"' + words.replace("\"", "\"\"") + '"' : words;
  }
}
