package org.habitline.staff.study;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.habitline.staff.web.PageFrame;
import org.habitline.study.Figures;
import org.jspecify.annotations.Nullable;

/**
 * The study in figures.
 *
 * @param days which of the usual ranges it is: {@code 7}, {@code 28}, {@code all}, or empty
 * @param complaint why the days were not accepted, or empty
 */
public record StudyPage(PageFrame frame, Figures.Study figures, String days, String complaint) {

  /** Whether there is nothing to show. */
  public boolean empty() {
    return figures.enrolment().total() == 0;
  }

  /** The models that were asked, in the order of the columns. */
  public List<String> models() {
    return figures.tokens().models().stream().map(Figures.ModelTokens::model).toList();
  }

  /** The tokens of each day, a list with an item for every model. */
  public List<List<Figures.ModelTokens>> tokenDays() {
    var models = models().size();
    var days = figures.tokens().days();
    return models == 0
        ? List.of()
        : IntStream.range(0, days.size() / models)
            .mapToObj(day -> days.subList(day * models, (day + 1) * models))
            .toList();
  }

  /** A rate as a percentage. */
  public static String percent(@Nullable Double rate) {
    return rate == null ? "–" : Math.round(rate * 100) + " %";
  }

  /** A time for people. */
  public static String time(@Nullable Double seconds) {
    if (seconds == null) {
      return "–";
    }
    if (seconds < 120) {
      return String.format(Locale.ROOT, "%.1f s", seconds);
    }
    return seconds < 3 * 3600
        ? Math.round(seconds / 60) + " min"
        : String.format(Locale.ROOT, "%.1f h", seconds / 3600);
  }

  /** A time in minutes, for a chart. */
  public static String minutes(@Nullable Double seconds) {
    return seconds == null ? "–" : String.format(Locale.ROOT, "%.1f", seconds / 60);
  }

  /** A time in seconds, for a chart. */
  public static String seconds(@Nullable Double seconds) {
    return seconds == null ? "–" : String.format(Locale.ROOT, "%.1f", seconds);
  }

  /** How many have each status. */
  public Map<String, Long> byStatus() {
    return figures.enrolment().byStatus();
  }
}
