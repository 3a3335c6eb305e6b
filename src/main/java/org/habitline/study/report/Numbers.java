package org.habitline.study.report;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.apache.commons.csv.CSVFormat;
import org.habitline.study.report.Figure.Column;
import org.habitline.study.report.Figure.Kind;
import org.jspecify.annotations.Nullable;

/** The rows that a figure's query returned. Pages and CSV files are both made from them. */
public record Numbers(Figure figure, List<Row> rows) {

  /** Half an hour: a study of years on an H2 file. Most studies take seconds. */
  private static final int SECONDS = 1800;

  /** More rows than any figure of a study of three years has. */
  static final int MOST_ROWS = 50_000;

  private static final String LINE_END = "\r\n";

  public Numbers {
    rows = List.copyOf(rows);
  }

  /**
   * A row of the query.
   *
   * @param values as in the CSV file; {@code null} if there is none
   */
  public record Row(List<@Nullable String> values) {}

  /**
   * A cell as it is shown.
   *
   * @param number whether it is aligned as a number
   */
  public record Cell(String text, boolean number) {}

  /** A line as it is shown. */
  public record Line(String heading, List<Cell> cells) {}

  /** Runs the query of a figure. */
  static Numbers read(Figure figure, Connection snapshot) throws SQLException {
    try (var statement = snapshot.createStatement()) {
      statement.setQueryTimeout(SECONDS);
      statement.setMaxRows(MOST_ROWS);
      try (var found = statement.executeQuery(figure.sql())) {
        var rows = new ArrayList<Row>();
        while (found.next()) {
          var values = new ArrayList<@Nullable String>();
          for (var column : figure.columns()) {
            values.add(
                column.kind().isNumber()
                    ? plain(found.getBigDecimal(column.name()))
                    : found.getString(column.name()));
          }
          rows.add(new Row(values));
        }
        return new Numbers(figure, rows);
      }
    }
  }

  private static @Nullable String plain(@Nullable BigDecimal number) {
    return number == null
        ? null
        : number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
  }

  /** Returns the values of a column that are there, in their order, each once. */
  List<String> values(String column) {
    var place = figure.place(column);
    return rows.stream()
        .map(row -> row.values().get(place))
        .filter(Objects::nonNull)
        .distinct()
        .toList();
  }

  /** Returns a number of a row, or 0 if it has none. */
  static long count(Figure figure, Row row, String column) {
    var value = row.values().get(figure.place(column));
    return value == null ? 0 : new BigDecimal(value).longValue();
  }

  /** Returns the rows as a CSV file (RFC 4180). */
  String csv() {
    var csv = new StringBuilder();
    csv.append(CSVFormat.RFC4180.format(figure.columns().stream().map(Column::name).toArray()))
        .append(LINE_END);
    rows.forEach(
        row -> csv.append(CSVFormat.RFC4180.format(row.values().toArray())).append(LINE_END));
    return csv.toString();
  }

  public boolean isEmpty() {
    return rows.isEmpty();
  }

  /** Returns whether the first heading stands over a column of headings. */
  public boolean isInColumns() {
    return figure.layout() == Figure.Layout.COLUMNS;
  }

  /** Returns the headings of the table as it is shown; a list of numbers has none. */
  public List<Cell> headings() {
    if (isInColumns()) {
      var first = figure.columns().getFirst();
      return first.kind().isNumber()
          ? List.of()
          : rows.stream()
              .map(row -> new Cell(shown(row.values().getFirst(), first.kind()), true))
              .toList();
    }
    return figure.columns().stream()
        .skip(1)
        .map(column -> new Cell(column.label(), column.kind().isNumber()))
        .toList();
  }

  /** Returns what stands over the headings of the lines. */
  public String corner() {
    var first = figure.columns().getFirst();
    return isInColumns() && first.kind().isNumber() ? "" : first.label();
  }

  /** Returns the lines of the table as it is shown. */
  public List<Line> lines() {
    if (isInColumns()) {
      var from = figure.columns().getFirst().kind().isNumber() ? 0 : 1;
      var lines = new ArrayList<Line>();
      for (int i = from; i < figure.columns().size(); i++) {
        var column = figure.columns().get(i);
        var place = i;
        lines.add(
            new Line(
                column.label(),
                rows.stream()
                    .map(row -> new Cell(shown(row.values().get(place), column.kind()), true))
                    .toList()));
      }
      return lines;
    }
    return rows.stream().map(this::line).toList();
  }

  private Line line(Row row) {
    var cells = new ArrayList<Cell>();
    for (int i = 0; i < figure.columns().size(); i++) {
      var kind = figure.columns().get(i).kind();
      cells.add(new Cell(shown(row.values().get(i), kind), kind.isNumber()));
    }
    return new Line(cells.getFirst().text(), cells.stream().skip(1).collect(Collectors.toList()));
  }

  /** Returns a value for readers. */
  static String shown(@Nullable String value, Kind kind) {
    if (value == null) {
      return "–";
    }
    return switch (kind) {
      case NAME -> value;
      case WORD -> value.replace('_', ' ');
      case COUNT -> grouped(value);
      case SHARE ->
          new BigDecimal(value).movePointRight(2).setScale(1, RoundingMode.HALF_UP).toPlainString()
              + "%";
      case DECIMAL -> new BigDecimal(value).setScale(1, RoundingMode.HALF_UP).toPlainString();
      case NUMBER -> value;
    };
  }

  /** Returns a whole number with spaces between thousands, as journals write it. */
  private static String grouped(String digits) {
    return digits.length() < 5 ? digits : digits.replaceAll("(?<=\\d)(?=(\\d{3})+$)", "\u202f");
  }
}
