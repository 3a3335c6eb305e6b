package org.habitline.timers;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * One planned time of a prompt.
 *
 * @param date the local date it belongs to
 * @param wall local date and time as the participant's clock shows it then; in a spring gap it is
 *     later than the schedule says
 * @param at the instant to act, which is {@code wall} less the preparation time
 */
public record Moment(LocalDate date, LocalDateTime wall, ZoneId zone, Instant at) {

  private static final DateTimeFormatter LOCAL =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT);

  /** Returns what the clocks of a zone show at an instant. */
  public static Moment at(Instant instant, ZoneId zone) {
    var wall = LocalDateTime.ofInstant(instant, zone);
    return new Moment(wall.toLocalDate(), wall, zone, instant);
  }

  /** Returns the text for models and people, {@code 2026-03-02 08:37}. */
  public String text() {
    return LOCAL.format(wall);
  }
}
