package org.habitline.staff.study;

import java.util.List;
import java.util.Locale;

/**
 * A chart of the Study page: a question, its answer, a picture with its legend, and a table.
 *
 * @param answer the answer in a sentence or a few
 * @param shape how it is drawn
 * @param unit what the numbers of the picture are, such as {@code %}, or empty for counts
 * @param wide whether it takes the whole width
 */
public record StudyChart(
    String question,
    String answer,
    Shape shape,
    String unit,
    boolean wide,
    List<Series> series,
    FigureTable table) {

  /** How a chart is drawn. */
  public enum Shape {
    LINE,
    /** A line that changes in steps. */
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
   * @param style the class of its key in the legend, such as {@code l1} for the first line
   * @param label its name in the legend
   */
  public record Series(int column, String style, String label) {

    /** Returns whether it is drawn as a line. */
    public boolean isLine() {
      return style.startsWith("l");
    }
  }

  /** Returns the id of the chart on the page. */
  public String id() {
    return "chart-" + table.name();
  }

  /** Returns whether the picture would be empty. */
  public boolean isEmpty() {
    return table.rows().stream()
        .noneMatch(row -> series.stream().anyMatch(one -> table.drawn(row, one.column()) != null));
  }
}
