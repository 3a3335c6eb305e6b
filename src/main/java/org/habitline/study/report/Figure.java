package org.habitline.study.report;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * A table of the report: a query of its own, and what its columns mean.
 *
 * @param name names its files and its place in the pages
 * @param note how to read it
 * @param sql the statement as it is run, without parameters
 * @param curves the lines that are drawn of it
 */
public record Figure(
    String name,
    Part part,
    String title,
    String note,
    Layout layout,
    List<Column> columns,
    String sql,
    List<Curve> curves) {

  /** A part of the report, in the order of its pages. */
  public enum Part {
    PARTICIPANTS("Participants"),
    ADHERENCE("Adherence and drop-out"),
    OUTCOMES("Outcomes and response times"),
    DELIVERY("Messages, models and costs"),
    DEVIATIONS("Deviations and other events"),
    CONFIGURATION("Configuration in force");

    private final String title;

    Part(String title) {
      this.title = title;
    }

    public String title() {
      return title;
    }

    public String id() {
      return "part-" + name().toLowerCase(Locale.ROOT);
    }
  }

  /** How the rows of the query are shown. */
  public enum Layout {
    /** A line for each row. */
    ROWS,
    /** A column for each row, for few rows with many columns. */
    COLUMNS
  }

  /** What a column holds. */
  public enum Kind {
    /** A name from the configuration, shown as it is. */
    NAME,
    /** A word of the database, shown with spaces. */
    WORD,
    COUNT,
    /** A share from 0 to 1, shown in per cent. */
    SHARE,
    /** A number shown with one decimal. */
    DECIMAL,
    NUMBER;

    boolean isNumber() {
      return this == COUNT || this == SHARE || this == DECIMAL || this == NUMBER;
    }
  }

  /** A column of the query, and its heading. */
  public record Column(String name, String label, Kind kind) {}

  /**
   * Lines over the study days, one for each flow.
   *
   * @param share the column that is drawn
   * @param of the column with the denominators
   */
  public record Curve(String title, String share, String of) {}

  static Plan named(String name, Part part, String title) {
    return new Plan(name, part, title, "", Layout.ROWS, List.of(), List.of());
  }

  /** Returns the place of a column. */
  int place(String column) {
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).name().equals(column)) {
        return i;
      }
    }
    throw new IllegalArgumentException(name + " has no column " + column);
  }

  /** A figure that is being described. */
  record Plan(
      String name,
      Part part,
      String title,
      String note,
      Layout layout,
      List<Column> columns,
      List<Curve> curves) {

    Plan note(String text) {
      return new Plan(name, part, title, text, layout, columns, curves);
    }

    Plan inColumns() {
      return new Plan(name, part, title, note, Layout.COLUMNS, columns, curves);
    }

    Plan columns(Column... all) {
      return new Plan(name, part, title, note, layout, Arrays.asList(all), curves);
    }

    Plan curves(Curve... all) {
      return new Plan(name, part, title, note, layout, columns, Arrays.asList(all));
    }

    Figure from(String sql) {
      return new Figure(name, part, title, note, layout, columns, sql, curves);
    }
  }
}
