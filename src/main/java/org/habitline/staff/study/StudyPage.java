package org.habitline.staff.study;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.habitline.staff.web.PageFrame;
import org.habitline.staff.web.Times;
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
 * @param research the charts that answer questions of research
 * @param engineering the charts about the service itself
 */
public record StudyPage(
    PageFrame frame,
    Figures.Study figures,
    String days,
    String complaint,
    List<String> used,
    String zone,
    boolean prompted,
    List<StudyChart> research,
    List<StudyChart> engineering) {

  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("d MMM uuuu", Locale.ENGLISH);

  /** Returns whether no one has been enrolled, so that there is nothing to show. */
  public boolean empty() {
    return figures.enrolment().total() == 0;
  }

  /**
   * A number that the page begins with.
   *
   * @param of the whole that it is a part of, or empty
   * @param note where it comes from, or empty
   */
  public record Stat(String label, String value, String of, String note) {}

  /** Returns the numbers that the page begins with. */
  public List<Stat> stats() {
    var stats = new ArrayList<Stat>();
    var target = figures.enrolment().target();
    var erased = figures.enrolment().erased();
    stats.add(
        new Stat(
            "Enrolled",
            "%,d".formatted(figures.enrolment().total() + erased),
            target == null ? "" : "of %,d".formatted(target),
            erased == 0 ? "" : "%,d of them erased since".formatted(erased)));
    if (prompted) {
      var prompts = figures.adherence().all();
      stats.add(
          new Stat(
              "Prompts done",
              percent(prompts.doneRate()),
              "",
              "%,d of %,d sent".formatted(prompts.done(), prompts.sent())));
      stats.add(
          new Stat(
              "Prompts answered",
              percent(prompts.answeredRate()),
              "",
              "%,d of %,d sent".formatted(prompts.answered(), prompts.sent())));
    }
    var dropOut = figures.dropOut();
    stats.add(
        new Stat(
            "Dropped out",
            "%,d".formatted(dropOut.droppedOut()),
            "of %,d".formatted(dropOut.participants()),
            "%,d opted out or withdrawn, %s"
                .formatted(
                    dropOut.left(),
                    StudyCharts.silent(
                        dropOut.droppedOut() - dropOut.left(), dropOut.silentAfterDays()))));
    if (prompted) {
      var answers = figures.answers().all();
      stats.add(
          new Stat(
              "Time to answer",
              time(answers.medianSeconds()),
              "",
              "median of %,d answers".formatted(answers.count())));
    }
    stats.add(cost());
    return List.copyOf(stats);
  }

  private Stat cost() {
    var costs = figures.costs();
    if (costs.currency() == null) {
      return new Stat("Cost", "–", "", "no known prices");
    }
    var people = figures.enrolment().total();
    return new Stat(
        "Cost",
        StudyCharts.money(costs.total(), costs.currency()),
        "",
        people == 0
            ? ""
            : FigureTable.money(
                    costs.total().divide(BigDecimal.valueOf(people), 4, RoundingMode.HALF_UP))
                + " a participant");
  }

  /** Returns a rate as a percentage. */
  public static String percent(@Nullable Double rate) {
    return rate == null ? "–" : Math.round(rate * 100) + "%";
  }

  /** Returns an amount with its currency, for people. */
  public static String money(BigDecimal amount, String currency) {
    return StudyCharts.money(amount, currency);
  }

  /** Returns a duration for people, in seconds, minutes or hours. */
  public static String time(@Nullable Double seconds) {
    if (seconds == null) {
      return "–";
    }
    if (seconds < 120) {
      return String.format(Locale.ROOT, "%.1f s", seconds);
    }
    return Times.inTwoUnits(Duration.ofSeconds(Math.round(seconds)));
  }

  /** Returns the first and the last day shown, for people. */
  public String range() {
    return DAY.format(LocalDate.parse(figures.from()))
        + " to "
        + DAY.format(LocalDate.parse(figures.to()));
  }

  /** A number of participants, and the address of their list. */
  public record Count(long people, String what, String address) {}

  /**
   * Returns how many participants take part in each way, each participant once, as the list counts
   * them. Ways that are no status of their own are left out if nobody takes part in them.
   */
  public List<Count> participation() {
    var people = figures.enrolment().byParticipation();
    return Arrays.stream(Participation.values())
        .filter(each ->
            people.getOrDefault(each.word(), 0L) > 0 || each.word().equals(each.status().word()))
        .map(each ->
            new Count(
                people.getOrDefault(each.word(), 0L),
                each.title(),
                "/participants?participation=" + each.word()))
        .toList();
  }

  /**
   * Returns whether some who opted out are not active, so that {@link #participation} has not all.
   */
  public boolean othersOptedOut() {
    var active =
        figures.enrolment().byParticipation().getOrDefault(Participation.OPTED_OUT.word(), 0L);
    return figures.enrolment().optedOut() > active;
  }

  /** Returns what the words of the page mean, in one sentence each. */
  public List<String> definitions() {
    var days = figures.dropOut().silentAfterDays();
    var silent =
        "Silent for more than %s: the last text came more than %s ago, by date."
            .formatted(counted(days), counted(days));
    return prompted
        ? List.of(
            "Sent: the provider accepted the prompt.",
            "Answered: a text came after the prompt, whatever it is about, before the next daily prompt and within 7 days.",
            "Done: the participant said that they did it, by a quick reply or in other words, or staff recorded it.",
            "Still open: the participant's newest prompt, which a text can still answer.",
            silent)
        : List.of(silent);
  }

  private static String counted(int days) {
    return days == 1 ? "1 day" : days + " days";
  }
}
