package org.habitline.participants;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;

/**
 * A participant's move to another time zone on a later day.
 *
 * @param from the first local date that they spend there
 */
public record ZoneMove(ZoneId to, LocalDate from) {

  /**
   * Returns when the participant's zone changes: as soon as the date has begun in both zones. Until
   * then nothing comes that would not come without the move, so that a date that turns out to be
   * wrong costs no daily prompt.
   *
   * @param before the zone that they leave
   */
  public Instant due(ZoneId before) {
    var here = from.atStartOfDay(before).toInstant();
    var there = from.atStartOfDay(to).toInstant();
    return there.isAfter(here) ? there : here;
  }
}
