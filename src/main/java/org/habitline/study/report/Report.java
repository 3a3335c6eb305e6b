package org.habitline.study.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.habitline.study.report.ConfigurationHistory.History;
import org.habitline.study.report.Figure.Part;
import org.jspecify.annotations.Nullable;

/**
 * What the pages of a bundle show.
 *
 * @param facts what the first page says of the study and the bundle
 * @param warnings what to consider before the bundle is published
 */
public record Report(
    List<Fact> facts,
    List<String> warnings,
    FlowDiagram flow,
    List<Exhibit> exhibits,
    History history,
    List<Filled> checklists,
    Codebook codebook,
    @Nullable RehearsalReport rehearsal) {

  /** Longer tables are on a page of their own. */
  private static final int LONG = 40;

  public static final String TABLES = "tables.html";
  public static final String CONFIGURATION = "configuration.html";
  public static final String INDEX = "index.html";

  /** A line of the first page. */
  public record Fact(String name, String value) {}

  /** A checklist with its items filled in. */
  public record Filled(Checklists.Checklist checklist, List<Checklists.Filled> items) {}

  /**
   * A figure with its number and pictures.
   *
   * @param table the number of the table
   */
  public record Exhibit(Numbers numbers, int table, List<Picture> pictures) {

    public Figure figure() {
      return numbers.figure();
    }

    /** Returns whether the table is on the page of long tables. */
    public boolean isLong() {
      return numbers.rows().size() > LONG && !numbers.isInColumns();
    }

    /** Returns where the table is in the bundle. */
    public String place() {
      var page = isLong() ? TABLES : figure().part() == Part.CONFIGURATION ? CONFIGURATION : INDEX;
      return page + "#" + figure().name();
    }

    public String csv() {
      return "numbers/" + figure().name() + ".csv";
    }

    public String query() {
      return "queries/" + figure().name() + ".sql";
    }
  }

  /** A chart with its number. The flow diagram is figure 1. */
  public record Picture(int number, LineChart chart) {}

  /** Numbers the tables and the charts in their order. */
  static List<Exhibit> exhibits(List<Numbers> all) {
    var exhibits = new ArrayList<Exhibit>();
    var number = 1;
    for (var numbers : all) {
      var pictures = new ArrayList<Picture>();
      if (!numbers.isEmpty()) {
        for (var curve : numbers.figure().curves()) {
          number++;
          pictures.add(new Picture(number, LineChart.of(numbers, curve)));
        }
      }
      exhibits.add(new Exhibit(numbers, exhibits.size() + 1, pictures));
    }
    return exhibits;
  }

  /** Returns the parts of the first page. */
  public List<Part> parts() {
    return Arrays.stream(Part.values()).filter(part -> part != Part.CONFIGURATION).toList();
  }

  public List<Exhibit> of(Part part) {
    return exhibits.stream().filter(exhibit -> exhibit.figure().part() == part).toList();
  }

  public List<Exhibit> longOnes() {
    return exhibits.stream().filter(Exhibit::isLong).toList();
  }

  /** Returns the report of the rehearsal; only if there is one. */
  public RehearsalReport theRehearsal() {
    return Objects.requireNonNull(rehearsal);
  }

  Optional<RehearsalReport> rehearsed() {
    return Optional.ofNullable(rehearsal);
  }
}
