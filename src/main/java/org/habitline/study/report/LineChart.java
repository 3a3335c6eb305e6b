package org.habitline.study.report;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.habitline.study.report.Figure.Curve;

/**
 * A share by study day, one line for each flow, as a picture that needs no program: where its
 * lines, ticks and numbers stand. Lines differ in their dashes too, so that they can be told apart
 * in print without colours. Below the picture stand the denominators, as under a survival curve.
 * Days with a denominator below {@value #LEAST} are not drawn.
 *
 * @param height of the picture; all lengths are in the picture's own units
 */
public record LineChart(
    String title,
    int height,
    List<Tick> days,
    List<Tick> shares,
    List<Line> lines,
    List<AtRisk> atRisk,
    String says) {

  public static final int WIDTH = 720;
  public static final int LEFT = 130;
  public static final int RIGHT = 704;
  public static final int TOP = 14;
  public static final int BOTTOM = 234;

  /** The least denominator of a share that is drawn. */
  private static final int LEAST = 5;

  private static final int ROW = 17;
  private static final int MOST_TICKS = 12;
  private static final int LONGEST_NAME = 17;
  private static final int STYLES = 6;

  /** A mark of an axis. */
  public record Tick(double place, String label) {}

  /**
   * The line of a flow.
   *
   * @param pieces each as the attribute {@code points} of a polyline; between two of them, nothing
   *     is drawn
   * @param dots where a day stands alone, and so no line can show it
   */
  public record Line(String name, int style, List<String> pieces, List<Dot> dots) {}

  /** A point. */
  public record Dot(double x, double y) {}

  /** The denominators of a flow at the ticks of the days. */
  public record AtRisk(String name, int style, double y, List<Tick> numbers) {}

  private record Point(long day, double share, long of) {}

  static LineChart of(Numbers numbers, Curve curve) {
    var byFlow = points(numbers, curve);
    var first = byFlow.values().stream().flatMap(List::stream).mapToLong(Point::day).min();
    var last = byFlow.values().stream().flatMap(List::stream).mapToLong(Point::day).max();
    var from = first.orElse(1);
    var to = Math.max(last.orElse(1), from + 1);
    var ticks = ticks(from, to);
    var lines = new ArrayList<Line>();
    var atRisk = new ArrayList<AtRisk>();
    for (var flow : byFlow.entrySet()) {
      var style = lines.size() % STYLES + 1;
      lines.add(line(flow.getKey(), style, flow.getValue(), from, to));
      var of = flow.getValue().stream().collect(Collectors.toMap(Point::day, Point::of));
      atRisk.add(
          new AtRisk(
              shortened(flow.getKey()),
              style,
              BOTTOM + 62.0 + (lines.size() - 1) * ROW,
              ticks.stream()
                  .map(day -> new Tick(x(day, from, to), String.valueOf(of.getOrDefault(day, 0L))))
                  .toList()));
    }
    return new LineChart(
        curve.title(),
        BOTTOM + 52 + byFlow.size() * ROW,
        ticks.stream().map(day -> new Tick(x(day, from, to), String.valueOf(day))).toList(),
        List.of(0, 25, 50, 75, 100).stream()
            .map(percent -> new Tick(y(percent / 100.0), percent + "%"))
            .toList(),
        lines,
        atRisk,
        curve.title() + ", in per cent, for " + String.join(", ", byFlow.keySet()));
  }

  private static Map<String, List<Point>> points(Numbers numbers, Curve curve) {
    var figure = numbers.figure();
    var share = figure.place(curve.share());
    var byFlow = new LinkedHashMap<String, List<Point>>();
    for (var row : numbers.rows()) {
      var value = row.values().get(share);
      if (value != null) {
        byFlow
            .computeIfAbsent(
                Numbers.shown(row.values().getFirst(), Figure.Kind.NAME), name -> new ArrayList<>())
            .add(
                new Point(
                    Numbers.count(figure, row, "study_day"),
                    new BigDecimal(value).doubleValue(),
                    Numbers.count(figure, row, curve.of())));
      }
    }
    return byFlow;
  }

  /** Returns the days that are marked: the first, and then every week or a multiple of it. */
  private static List<Long> ticks(long from, long to) {
    var days = to - from + 1;
    var step = days <= MOST_TICKS ? 1 : Math.ceilDiv(Math.ceilDiv(days, MOST_TICKS), 7) * 7;
    var ticks = new ArrayList<Long>();
    for (var day = from; day <= to; day += step) {
      ticks.add(day);
    }
    if (to - ticks.getLast() > step / 2) {
      ticks.add(to);
    }
    return ticks;
  }

  private static Line line(String name, int style, List<Point> points, long from, long to) {
    var pieces = new ArrayList<List<Point>>();
    var next = Long.MIN_VALUE;
    for (var point : points) {
      if (point.of() >= LEAST) {
        if (point.day() != next) {
          pieces.add(new ArrayList<>());
        }
        pieces.getLast().add(point);
        next = point.day() + 1;
      }
    }
    return new Line(
        name,
        style,
        pieces.stream()
            .filter(piece -> piece.size() > 1)
            .map(piece ->
                piece.stream()
                    .map(point ->
                        String.format(
                            Locale.ROOT, "%.1f,%.1f", x(point.day(), from, to), y(point.share())))
                    .collect(Collectors.joining(" ")))
            .toList(),
        pieces.stream()
            .filter(piece -> piece.size() == 1)
            .map(piece -> piece.getFirst())
            .map(point -> new Dot(x(point.day(), from, to), y(point.share())))
            .toList());
  }

  private static double x(long day, long from, long to) {
    return rounded(LEFT + (RIGHT - LEFT) * (double) (day - from) / (to - from));
  }

  private static double y(double share) {
    return rounded(BOTTOM - (BOTTOM - TOP) * share);
  }

  private static double rounded(double place) {
    return Math.round(place * 10) / 10.0;
  }

  private static String shortened(String name) {
    return name.length() <= LONGEST_NAME ? name : name.substring(0, LONGEST_NAME - 1) + "…";
  }
}
