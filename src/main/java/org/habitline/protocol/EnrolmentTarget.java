package org.habitline.protocol;

import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.habitline.config.Section;

/**
 * How many participants a study is to enrol: the section {@code target} of {@code
 * config/study.yaml}.
 *
 * @param participants the number to reach
 * @param days the days of enrolment, if the file names them
 */
public record EnrolmentTarget(int participants, Optional<Days> days) {

  private static final int MOST = 1_000_000;

  /** The first and the last day of enrolment, both included. */
  public record Days(LocalDate from, LocalDate by) {}

  static EnrolmentTarget read(Section keys) {
    keys.only("participants", "from", "by");
    var participants = keys.optionalInteger("participants", 1, MOST);
    if (!keys.has("participants")) {
      keys.refuse("participants", "missing; expected the number of participants, such as 40");
    }
    var from = keys.optionalDate("from");
    var by = keys.optionalDate("by");
    if (keys.has("from") != keys.has("by")) {
      keys.refuse(
          keys.has("from") ? "by" : "from",
          "missing; expected the first and the last day of enrolment, or neither");
    }
    if (from.isPresent() && by.filter(day -> !day.isAfter(from.get())).isPresent()) {
      keys.refuse("by", "expected a day after from");
    }
    return new EnrolmentTarget(
        participants == null ? 1 : participants,
        from.flatMap(first -> by.map(last -> new Days(first, last))));
  }

  /**
   * Returns how many participants are to be enrolled by the end of a day, at an even pace; the
   * number to reach if the file names no days.
   */
  public long planned(LocalDate day) {
    if (days.isEmpty() || !day.isBefore(days.get().by())) {
      return participants;
    }
    var first = days.get().from();
    var all = ChronoUnit.DAYS.between(first, days.get().by()) + 1;
    var gone = Math.max(0, ChronoUnit.DAYS.between(first, day) + 1);
    return Math.round((double) participants * gone / all);
  }

  /** Returns what applies, in a sentence. */
  public String sentence() {
    return participants
        + " participants"
        + days.map(it -> " from " + it.from() + " to " + it.by()).orElse("")
        + ".";
  }
}
