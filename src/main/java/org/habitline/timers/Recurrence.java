package org.habitline.timers;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Optional;
import java.util.function.Predicate;
import org.habitline.participants.Zones;

/**
 * Computes when a schedule comes next, by the rules of {@code java.time}: in a spring gap the wall
 * time moves later by the length of the gap (02:30 → 03:30), in an autumn overlap the first of the
 * two counts. If a gap reaches midnight, that would be the next day, which has its own prompt; then
 * the last minute before the gap counts. A local date that a zone skipped has no occurrence.
 */
public final class Recurrence {

  /** How many days are searched for a free date before giving up. */
  private static final int DAYS_LOOKED_AT = 400;

  private Recurrence() {}

  /**
   * Returns the first moment strictly after an instant, on a date that is not taken: in the present
   * zone until the move is due, in the new zone from then on.
   *
   * @param early how long before its wall time a prompt is sent, zero or more
   */
  public static Moment next(
      Schedule schedule, Zones zones, Instant after, Predicate<LocalDate> taken, Duration early) {
    var here = next(schedule, zones.now(), after, taken, early);
    var move = zones.move();
    if (move == null || zones.promptsAt(here.at()).equals(zones.now())) {
      return here;
    }
    var before = move.due(zones.now()).minusNanos(1);
    return next(schedule, move.to(), after.isAfter(before) ? after : before, taken, early);
  }

  /**
   * Returns the first moment strictly after an instant, on a date that is not taken.
   *
   * @param early how long before its wall time a prompt is sent, zero or more
   */
  public static Moment next(
      Schedule schedule, ZoneId zone, Instant after, Predicate<LocalDate> taken, Duration early) {
    var first = after.plus(early).atZone(zone).toLocalDate();
    for (int day = 0; day < DAYS_LOOKED_AT; day++) {
      var date = first.plusDays(day);
      var moment = on(schedule, date, zone, early);
      if (moment.isPresent() && moment.get().at().isAfter(after) && !taken.test(date)) {
        return moment.get();
      }
    }
    throw new IllegalStateException("Schedule " + schedule.id() + " has no next occurrence.");
  }

  /** Returns the moment on a date, or empty if that date does not exist in the zone. */
  public static Optional<Moment> on(
      Schedule schedule, LocalDate date, ZoneId zone, Duration early) {
    if (!date.atStartOfDay(zone).toLocalDate().equals(date)) {
      return Optional.empty();
    }
    var wanted = date.atTime(schedule.time().on(date, schedule.id()));
    var there = ZonedDateTime.ofLocal(wanted, zone, null);
    if (!there.toLocalDate().equals(date)) {
      var gap = zone.getRules().getTransition(wanted);
      there = gap.getDateTimeBefore().minusMinutes(1).atZone(zone);
    }
    return Optional.of(
        new Moment(date, there.toLocalDateTime(), zone, there.toInstant().minus(early)));
  }
}
