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
 * When in their day a simulated participant wants the prompt.
 *
 * @param end the end of a window, not in it; {@code null} if it is always the same time
 */
record PromptTime(LocalTime start, @Nullable LocalTime end) {

  private static final Duration A_MINUTE = Duration.ofMinutes(1);

  /**
   * Returns every instant at which the prompt of a date may come: of each minute that was asked
   * for, the one a calendar on the wall gives. A wall time that a clock leaves out comes as much
   * later as the clock is put forward, but not on the next date: there it is the last minute
   * before; of one that comes twice it is the first.
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

  /** As it is texted. */
  String text() {
    return end == null ? start.toString() : "between " + start + " and " + end;
  }
}
