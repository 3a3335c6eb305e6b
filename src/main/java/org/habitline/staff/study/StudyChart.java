package org.habitline.staff.study;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A chart of the Study page: a question, its answer, a picture with its legend, and a table.
 *
 * @param answer the answer in a sentence or a few
 * @param shape how it is drawn
 * @param unit what the numbers of the picture are, such as {@code %} or {@code participants}; empty
 *     if nothing is drawn
 * @param wide whether it takes the whole width
 * @param reaches a number that the axis reaches, or 0 if the numbers drawn decide
 */
public record StudyChart(
    String question,
    String answer,
    Shape shape,
    String unit,
    boolean wide,
    long reaches,
    List<Series> series,
    FigureTable table) {

  /** The least denominator of a share that is drawn, if the series names its denominators. */
  static final int LEAST = 5;

  /** Creates a chart whose numbers decide how far the axis reaches. */
  StudyChart(
      String question,
      String answer,
      Shape shape,
      String unit,
      boolean wide,
      List<Series> series,
      FigureTable table) {
    this(question, answer, shape, unit, wide, 0, series, table);
  }

  /** How a chart is drawn. */
  public enum Shape {
    LINE,
    /** Lines that change in steps. */
    STEPS,
    BAR,
    /** Bars whose parts add up. */
    STACKED;

    /** Returns the word for the script that draws it. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A line, or the bars of one colour.
   *
   * @param column the position of its column in the table
   * @param of the position of the column with its denominators, or {@code null} if all are drawn
   * @param style the class of its key in the legend, such as {@code l1} for the first line
   * @param label its name in the legend
   */
  public record Series(int column, @Nullable Integer of, String style, String label) {

    /** Returns whether it is drawn as a line. */
    public boolean isLine() {
      return style.startsWith("l");
    }
  }

  /** Returns the id of the chart on the page. */
  public String id() {
    return "chart-" + table.name();
  }

  /** Returns whether the picture would be empty: nothing to draw, or only counts of zero. */
  public boolean isEmpty() {
    return table.rows().stream()
        .noneMatch(row -> series.stream().anyMatch(one -> isSeen(drawn(row, one.column()))));
  }

  private boolean isSeen(@Nullable String number) {
    return number != null && (unit.equals("%") || reaches > 0 || Double.parseDouble(number) != 0);
  }

  /** Returns what is drawn for a cell, or {@code null} if there is nothing to draw. */
  public @Nullable String drawn(List<? extends @Nullable Object> row, int column) {
    for (var one : series) {
      var of = one.of();
      if (one.column() == column && of != null && !counts(row.get(of))) {
        return null;
      }
    }
    return table.drawn(row, column);
  }

  private static boolean counts(@Nullable Object denominator) {
    return denominator instanceof Number number && number.longValue() >= LEAST;
  }
}
