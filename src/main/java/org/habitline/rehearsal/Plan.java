package org.habitline.rehearsal;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import org.habitline.timers.AllowedHours;
import org.jspecify.annotations.Nullable;

/**
 * What a rehearsal of a protocol shall play.
 *
 * @param from the local date on which everybody is enrolled
 * @param days how many local dates are played, that one included
 * @param zone where participants live
 * @param allowedHours outside of them a prompt is an anomaly
 * @param prompts the hours of the day out of which participants choose their time
 * @param movesTo where everybody moves to on one day of the study, or {@code null} if nobody moves
 * @param seed the same seed gives the same rehearsal
 */
public record Plan(
    int participants,
    int days,
    LocalDate from,
    ZoneId zone,
    AllowedHours allowedHours,
    AllowedHours prompts,
    @Nullable ZoneId movesTo,
    long seed) {

  /** When study time begins. */
  Instant start() {
    return from.atStartOfDay(zone).toInstant();
  }

  /** The first local date that is not played any more. */
  LocalDate after() {
    return from.plusDays(days);
  }
}
