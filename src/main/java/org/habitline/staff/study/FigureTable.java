package org.habitline.staff.study;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A figure of the study as a table: the rows of its CSV file, the table on the page, and what its
 * chart is drawn from.
 *
 * @param name of the CSV file, without its extension
 * @param rows one cell for each column; {@code null} where there is no value
 */
public record FigureTable(
    String name, List<Column> columns, List<? extends List<? extends @Nullable Object>> rows) {

  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("d MMM uuuu", Locale.ENGLISH);
  private static final BigDecimal SECONDS_OF_A_MINUTE = BigDecimal.valueOf(60);
  private static final int PLACES = 6;

  /** What the cells of a column are, and how people read them. */
  public enum Kind {
    /** A date as {@code yyyy-mm-dd}. */
    DATE,
    WORDS,
    /** A whole number. */
    COUNT,
    /** A share from 0 to 1; a percentage on the page. */
    SHARE,
    /** A duration in seconds. */
    SECONDS,
    /** A duration in seconds; minutes on the page. */
    MINUTES,
    /** An amount of money. */
    MONEY
  }

  /**
   * A column.
   *
   * @param name in the CSV file
   * @param head on the page
   */
  public record Column(String name, String head, Kind kind) {

    /** Returns whether its cells are numbers, which stand at the right. */
    public boolean isNumber() {
      return kind != Kind.DATE && kind != Kind.WORDS;
    }
  }

  /** Returns the names of the columns in the CSV file. */
  List<String> names() {
    return columns.stream().map(Column::name).toList();
  }

  /** Returns the position of a column. */
  int position(String column) {
    return names().indexOf(column);
  }

  /** Returns a cell for people. */
  public String shown(List<? extends @Nullable Object> row, int column) {
    var cell = row.get(column);
    if (cell == null) {
      return "–";
    }
    return switch (columns.get(column).kind()) {
      case DATE -> DAY.format(LocalDate.parse(cell.toString()));
      case WORDS -> cell.toString();
      case COUNT -> String.format(Locale.ROOT, "%,d", number(cell).longValue());
      case SHARE -> Math.round(number(cell).doubleValue() * 100) + "%";
      case SECONDS -> String.format(Locale.ROOT, "%.1f", number(cell));
      case MINUTES -> String.format(Locale.ROOT, "%.1f", minutes(cell));
      case MONEY -> money(number(cell));
    };
  }

  /** Returns what a chart draws for a cell, or {@code null} if there is nothing to draw. */
  public @Nullable String drawn(List<? extends @Nullable Object> row, int column) {
    var cell = row.get(column);
    if (cell == null) {
      return null;
    }
    return switch (columns.get(column).kind()) {
      case DATE, WORDS -> null;
      case COUNT, SECONDS, MONEY -> number(cell).toPlainString();
      case SHARE -> number(cell).movePointRight(2).toPlainString();
      case MINUTES -> minutes(cell).toPlainString();
    };
  }

  private static BigDecimal number(Object cell) {
    return new BigDecimal(cell.toString());
  }

  private static BigDecimal minutes(Object cell) {
    return number(cell).divide(SECONDS_OF_A_MINUTE, PLACES, RoundingMode.HALF_UP);
  }

  /** Returns an amount with two decimals, or with four if it is below one hundredth. */
  static String money(BigDecimal amount) {
    var small = amount.signum() != 0 && amount.abs().compareTo(new BigDecimal("0.01")) < 0;
    return String.format(Locale.ROOT, small ? "%.4f" : "%,.2f", amount);
  }
}
