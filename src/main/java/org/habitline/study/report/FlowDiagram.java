package org.habitline.study.report;

import java.util.ArrayList;
import java.util.List;
import org.habitline.study.report.Numbers.Row;

/**
 * The flow of participants as CONSORT draws it: boxes with counts and the arrows between them.
 * Every count is a number of the figures {@code study} and {@code participants_by_flow}.
 */
public record FlowDiagram(
    int width, int height, List<Box> boxes, List<Arrow> arrows, List<Stage> stages, String says) {

  private static final int COLUMN = 196;
  private static final int GAP = 18;
  private static final int MARGIN = 40;
  private static final int LINE = 17;
  private static final int PADDING = 10;
  private static final int BETWEEN = 34;
  private static final int LEAST_WIDTH = 720;
  private static final int SIDE = 264;
  private static final int LONGEST_NAME = 24;

  /** A box with lines of text; the first one is bold. */
  public record Box(int x, int y, int width, int height, List<Text> lines) {}

  /** A line of text. */
  public record Text(int x, int y, String text, boolean strong) {}

  /** A line that ends in an arrowhead if it leads into a box. */
  public record Arrow(int fromX, int fromY, int toX, int toY, boolean head) {}

  /** The name of a stage, at the left edge. */
  public record Stage(int y, String name) {}

  static FlowDiagram of(Numbers study, Numbers byFlow, boolean asksForConsent) {
    return new Drawing(study, byFlow, asksForConsent).drawn();
  }

  /** A diagram that is being drawn, from the top to the bottom. */
  private static final class Drawing {
    private final Numbers study;
    private final Numbers byFlow;
    private final boolean asksForConsent;
    private final List<Box> boxes = new ArrayList<>();
    private final List<Arrow> arrows = new ArrayList<>();
    private final List<Stage> stages = new ArrayList<>();
    private final int width;

    private Drawing(Numbers study, Numbers byFlow, boolean asksForConsent) {
      this.study = study;
      this.byFlow = byFlow;
      this.asksForConsent = asksForConsent;
      var flows = Math.max(1, byFlow.rows().size());
      this.width = Math.max(LEAST_WIDTH, MARGIN + flows * (COLUMN + GAP) + GAP);
    }

    private FlowDiagram drawn() {
      var middle = MARGIN + (width - MARGIN) / 2;
      var enrolled = box(middle - 120, 10, 240, "Enrolled (n = " + n("enrolled") + ")");
      stages.add(new Stage(enrolled.y() + 50, "Enrolment"));
      var besides = new ArrayList<String>();
      besides.add(asksForConsent ? "Not coached or no longer counted" : "No longer counted");
      if (asksForConsent) {
        besides.add("Declined or not eligible (n = " + n("consent_declined") + ")");
        besides.add("Consent not answered (n = " + n("consent_waiting") + ")");
      }
      besides.add("Erased since, only counted (n = " + n("erased") + ")");
      var beside =
          box(width - SIDE - 4, bottom(enrolled) + 14, SIDE, besides.toArray(String[]::new));
      var across = beside.y() + beside.height() / 2;
      var consented =
          box(
              middle - 120,
              bottom(beside) + 14,
              240,
              asksForConsent
                  ? "Consent given (n = " + n("consent_given") + ")"
                  : "Counted (n = " + n("counted") + ")",
              asksForConsent ? "as recorded by Habitline" : "consent is not asked in Habitline");
      arrows.add(new Arrow(middle, bottom(enrolled), middle, consented.y(), true));
      arrows.add(new Arrow(middle, across, beside.x(), across, true));
      var split = bottom(consented) + BETWEEN / 2;
      arrows.add(new Arrow(middle, bottom(consented), middle, split, false));
      var deepest = split;
      var columns = byFlow.rows().size();
      var taken = columns * COLUMN + (columns - 1) * GAP;
      var left = middle - taken / 2;
      for (int i = 0; i < columns; i++) {
        var x = left + i * (COLUMN + GAP);
        deepest = Math.max(deepest, column(byFlow.rows().get(i), x, split, i == 0));
      }
      if (columns > 1) {
        arrows.add(new Arrow(left + COLUMN / 2, split, left + taken - COLUMN / 2, split, false));
      }
      return new FlowDiagram(
          width,
          deepest + 10,
          boxes,
          arrows,
          stages,
          "Flow of participants: %s enrolled, %s counted, %s erased since"
              .formatted(n("enrolled"), n("counted"), n("erased")));
    }

    private int column(Row row, int x, int split, boolean named) {
      var middle = x + COLUMN / 2;
      var allocated =
          box(
              x,
              split + BETWEEN / 2,
              COLUMN,
              "Flow " + shortened(String.valueOf(row.values().getFirst())),
              (asksForConsent ? "Consent given" : "Counted") + " (n = " + n(row, "consented") + ")",
              "Received a daily prompt",
              "   (n = " + n(row, "prompted") + ")");
      arrows.add(new Arrow(middle, split, middle, allocated.y(), true));
      var now =
          box(
              x,
              bottom(allocated) + BETWEEN,
              COLUMN,
              "Participation at the report",
              "Active (n = " + n(row, "active") + ")",
              "Completed (n = " + n(row, "completed") + ")",
              "Withdrawn (n = " + n(row, "withdrawn") + ")",
              "Opted out (n = " + n(row, "opted_out") + ")",
              "Paused by staff (n = " + n(row, "paused") + ")",
              "Paused, safety (n = " + n(row, "paused_by_incident") + ")",
              "Asked again (n = " + n(row, "asked_again") + ")");
      arrows.add(new Arrow(middle, bottom(allocated), middle, now.y(), true));
      var analysed =
          box(
              x,
              bottom(now) + BETWEEN,
              COLUMN,
              "In the record",
              "Received a prompt (n = " + n(row, "prompted") + ")",
              "Replied at least once",
              "   (n = " + n(row, "replied") + ")");
      arrows.add(new Arrow(middle, bottom(now), middle, analysed.y(), true));
      if (named) {
        stages.add(new Stage(allocated.y() + allocated.height() / 2, "By flow"));
        stages.add(new Stage(now.y() + now.height() / 2, "Follow-up"));
        stages.add(new Stage(analysed.y() + analysed.height() / 2, "Analysis"));
      }
      return bottom(analysed);
    }

    private Box box(int x, int y, int boxWidth, String... lines) {
      var texts = new ArrayList<Text>();
      for (int i = 0; i < lines.length; i++) {
        texts.add(new Text(x + PADDING, y + PADDING + 12 + i * LINE, lines[i], i == 0));
      }
      var box = new Box(x, y, boxWidth, 2 * PADDING + lines.length * LINE - 2, texts);
      boxes.add(box);
      return box;
    }

    private static int bottom(Box box) {
      return box.y() + box.height();
    }

    private String n(String column) {
      return study.rows().isEmpty() ? "0" : n(study, study.rows().getFirst(), column);
    }

    private String n(Row row, String column) {
      return n(byFlow, row, column);
    }

    private static String n(Numbers numbers, Row row, String column) {
      return Numbers.shown(row.values().get(numbers.figure().place(column)), Figure.Kind.COUNT);
    }

    private static String shortened(String name) {
      return name.length() <= LONGEST_NAME ? name : name.substring(0, LONGEST_NAME - 1) + "…";
    }
  }
}
