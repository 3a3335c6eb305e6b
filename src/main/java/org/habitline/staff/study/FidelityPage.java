package org.habitline.staff.study;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.habitline.staff.web.PageFrame;
import org.habitline.staff.web.Times;
import org.habitline.study.fidelity.DeviationKind;
import org.habitline.study.fidelity.DeviationState;
import org.habitline.study.fidelity.Fidelity;
import org.habitline.study.fidelity.JdbcDeviations.Deviation;
import org.habitline.study.fidelity.JdbcFidelity;
import org.jspecify.annotations.Nullable;

/**
 * The page that compares the study with its plan.
 *
 * @param days the days that were looked at, newest first
 * @param unchecked how many other days of the range could be looked at
 * @param kind the word of the kind that is listed, or empty for all
 * @param state the word of the state that is listed, or empty for all
 * @param query the filter as the query of an address
 * @param older the address of the next deviations, or empty
 * @param complaint why the last form or the filter was refused, or empty
 * @param refused the number of the deviation whose form was refused, or 0
 * @param said what was written into that form
 * @param silentAfterDays after more than how many days without a text a participant is silent
 * @param zone the time zone of the study's days
 * @param names what the participants of the deviations are called, by their ids
 */
public record FidelityPage(
    PageFrame frame,
    String from,
    String to,
    List<JdbcFidelity.Day> days,
    int unchecked,
    List<Deviation> deviations,
    String kind,
    String state,
    String query,
    String older,
    String complaint,
    long refused,
    String said,
    int silentAfterDays,
    String zone,
    Map<String, String> names) {

  /** Returns when a participant counts as silent on a day, for people. */
  public String silence() {
    return "A participant counts as silent on a day if their last text came more than %s before it. If they never texted, the day before their enrolment counts as the day of their last text."
        .formatted(silentAfterDays == 1 ? "1 day" : silentAfterDays + " days");
  }

  /** Returns the range shown, for people. */
  public String range() {
    return date(from) + " to " + date(to);
  }

  /** Returns what is unknown because days were not checked, or an empty text. */
  public String unknown() {
    if (unchecked == 0) {
      return days.isEmpty()
          ? "There is nothing to check on these days. Each day with participants is checked during the following night."
          : "";
    }
    if (unchecked == 1) {
      return "1 day was not checked, so its deviations are unknown.";
    }
    return (days.isEmpty()
            ? "None of these %,d days was checked, so deviations are unknown."
            : "%,d days were not checked, so their deviations are unknown.")
        .formatted(unchecked);
  }

  /** Returns the label of the button that checks the unchecked days. */
  public String checks() {
    return unchecked > Fidelity.MOST_DAYS
        ? "Check the first %d of these days now".formatted(Fidelity.MOST_DAYS)
        : unchecked == 1 ? "Check this day now" : "Check these %d days now".formatted(unchecked);
  }

  /** Returns the kinds to choose from. */
  public List<DeviationKind> kinds() {
    return List.of(DeviationKind.values());
  }

  /** Returns the states to choose from. */
  public List<DeviationState> states() {
    return List.of(DeviationState.values());
  }

  /** Returns "3 of 4", or a dash if nothing was expected. */
  public static String of(long part, long all) {
    return all == 0 ? "–" : part + " of " + all;
  }

  /** Returns what a reason means, for people. */
  public static String reason(Deviation deviation) {
    var reason = deviation.reason();
    return reason == null ? "" : reason.replace('_', ' ');
  }

  /** Returns what the participant of a deviation is called. */
  public String name(Deviation deviation) {
    return names.getOrDefault(String.valueOf(deviation.participantId()), "an erased participant");
  }

  /** Returns a date for people. */
  public static String date(String date) {
    return Times.readable(date, ZoneOffset.UTC);
  }

  /** Returns a time for people. */
  public static String at(@Nullable Instant at) {
    return Times.minutes(at, ZoneOffset.UTC);
  }
}
