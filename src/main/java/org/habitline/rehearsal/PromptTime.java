package org.habitline.rehearsal;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The local time, or window of time, at which a simulated participant wants the prompt.
 *
 * @param end the exclusive end of a window, or {@code null} for a fixed time
 */
record PromptTime(LocalTime start, @Nullable LocalTime end) {

  private static final Duration A_MINUTE = Duration.ofMinutes(1);

  /**
   * Returns every instant at which the prompt of a date may arrive: one for each requested minute,
   * less {@code early}. A local time skipped by a clock change is shifted by the length of the gap,
   * or, if the gap ends on the next date, to the last minute before the gap. A local time that
   * occurs twice counts as its first occurrence.
   */
  NavigableSet<Instant> on(LocalDate date, ZoneId zone, Duration early) {
    var instants = new TreeSet<Instant>();
    var minutes = end == null ? 1 : Duration.between(start, end).toMinutes();
    for (long minute = 0; minute < minutes; minute++) {
      instants.add(instant(date, start.plusMinutes(minute), zone).minus(early));
    }
    return instants;
  }

  private static Instant instant(LocalDate date, LocalTime time, ZoneId zone) {
    var rules = zone.getRules();
    var wall = date.atTime(time);
    var offsets = rules.getValidOffsets(wall);
    if (!offsets.isEmpty()) {
      return wall.toInstant(offsets.getFirst());
    }
    var gap = rules.getTransition(wall);
    return gap.getDateTimeAfter().toLocalDate().equals(date)
        ? wall.toInstant(gap.getOffsetBefore())
        : gap.getInstant().minus(A_MINUTE);
  }

  /** Returns the time as a participant texts it. */
  String text() {
    return end == null ? start.toString() : "between " + start + " and " + end;
  }
}
