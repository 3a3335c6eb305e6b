package org.habitline.staff.study;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.habitline.staff.web.PageFrame;
import org.habitline.study.figures.Figures;
import org.habitline.study.figures.Participation;
import org.jspecify.annotations.Nullable;

/**
 * The page of the study's figures.
 *
 * @param days the range chosen: {@code 7}, {@code 28}, {@code all}, or empty for given dates
 * @param complaint why the dates were refused, or empty
 * @param used what the study used of today's budgets, in words
 * @param zone the time zone of the study's day
 * @param prompted whether a flow sends daily prompts, or some were sent
 */
public record StudyPage(
    PageFrame frame,
    Figures.Study figures,
    String days,
    String complaint,
    List<String> used,
    String zone,
    boolean prompted) {

  /** Returns whether no one has been enrolled, so that there is nothing to show. */
  public boolean empty() {
    return figures.enrolment().total() == 0;
  }

  /** Returns the models used, in the order of the columns. */
  public List<String> models() {
    return figures.tokens().models().stream().map(Figures.ModelTokens::model).toList();
  }

  /** Returns the tokens of each day, a list with one item for every model. */
  public List<List<Figures.ModelTokens>> tokenDays() {
    var models = models().size();
    var days = figures.tokens().days();
    return models == 0
        ? List.of()
        : IntStream.range(0, days.size() / models)
            .mapToObj(day -> days.subList(day * models, (day + 1) * models))
            .toList();
  }

  /** Returns a rate as a percentage. */
  public static String percent(@Nullable Double rate) {
    return rate == null ? "–" : Math.round(rate * 100) + "%";
  }

  /** Returns a duration for people, in seconds, minutes or hours. */
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

  /** Returns a duration in minutes, for a chart. */
  public static String minutes(@Nullable Double seconds) {
    return seconds == null ? "–" : String.format(Locale.ROOT, "%.1f", seconds / 60);
  }

  /** Returns a duration in seconds, for a chart. */
  public static String seconds(@Nullable Double seconds) {
    return seconds == null ? "–" : String.format(Locale.ROOT, "%.1f", seconds);
  }

  /** A number of participants who take part in one way. */
  public record Count(Participation participation, long people) {}

  /**
   * Returns how many participants take part in each way, without the zeros of what keeps active
   * participants from the coach.
   */
  public List<Count> participation() {
    return Arrays.stream(Participation.values())
        .map(each ->
            new Count(each, figures.enrolment().byParticipation().getOrDefault(each.word(), 0L)))
        .filter(count -> count.people() > 0 || isStatus(count.participation()))
        .toList();
  }

  private boolean isStatus(Participation participation) {
    return figures.enrolment().byStatus().containsKey(participation.word());
  }
}
