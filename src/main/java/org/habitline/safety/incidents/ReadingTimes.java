package org.habitline.safety.incidents;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Optional;
import org.habitline.participants.Participant;
import org.habitline.protocol.AlertPlan;
import org.habitline.protocol.StudyFile;
import org.habitline.protocol.WeekHours;
import org.habitline.safety.rules.Reading;

/** Says when a person reads messages, by the coverage of the study. */
@Singleton
final class ReadingTimes {

  /** The longest time until the end of coverage for which a time without a day is clear. */
  private static final Duration CLEAR = Duration.ofHours(20);

  private final Optional<AlertPlan> plan;

  ReadingTimes(StudyFile study) {
    this.plan = study.safety();
  }

  /** Returns when a person reads messages, as seen by this participant at this time. */
  Reading at(Instant now, Participant participant) {
    return plan.flatMap(AlertPlan::coverage)
        .map(coverage -> reading(coverage, plan.orElseThrow().zone(), now, participant))
        .orElseGet(Reading.Unknown::new);
  }

  private static Reading reading(
      WeekHours coverage, ZoneId zone, Instant now, Participant participant) {
    var local = LocalDateTime.ofInstant(now, zone);
    var theirs = participant.zoneAssumed() ? zone : participant.zone();
    var change =
        coverage.changesAfter(local).map(it -> it.atZone(zone).withZoneSameInstant(theirs));
    if (coverage.covers(local)) {
      return change
          .filter(end -> !end.toInstant().isAfter(now.plus(CLEAR)))
          .<Reading>map(end -> new Reading.Until(end, participant.zoneAssumed()))
          .orElseGet(Reading.Now::new);
    }
    return change
        .<Reading>map(begin ->
            new Reading.From(
                begin,
                begin.toLocalDate().equals(now.atZone(theirs).toLocalDate()),
                participant.zoneAssumed()))
        .orElseGet(Reading.Unknown::new);
  }
}
