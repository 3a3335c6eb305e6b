package org.habitline.timers;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZonedDateTime;
import java.util.Optional;
import java.util.regex.Pattern;
import org.habitline.participants.Zones;

/**
 * The hours of a participant's day in which the service may send unprompted messages, {@code
 * ALLOWED_HOURS}. Both ends are included.
 *
 * @param start minutes since midnight, 0 to 1439
 * @param end minutes since midnight, after {@code start}, at most 1440
 */
public record AllowedHours(int start, int end) {

  public static final AllowedHours WHOLE_DAY = new AllowedHours(0, 24 * 60);

  private static final Pattern WRITTEN =
      Pattern.compile("([01]?\\d|2[0-3]):([0-5]\\d)-(([01]?\\d|2[0-3]):([0-5]\\d)|24:00)");

  public AllowedHours {
    if (start < 0 || end <= start || end > 24 * 60) {
      throw new IllegalArgumentException("Allowed hours must end after they start.");
    }
  }

  /**
   * Reads {@code 08:00-21:00}; returns empty if the text has another form or does not end after it
   * starts.
   */
  public static Optional<AllowedHours> read(String text) {
    var found = WRITTEN.matcher(text.strip());
    if (!found.matches()) {
      return Optional.empty();
    }
    var start = minutes(found.group(1), found.group(2));
    var end = found.group(3).equals("24:00") ? 24 * 60 : minutes(found.group(4), found.group(5));
    return end > start ? Optional.of(new AllowedHours(start, end)) : Optional.empty();
  }

  private static int minutes(String hours, String minutes) {
    return Integer.parseInt(hours) * 60 + Integer.parseInt(minutes);
  }

  /**
   * Returns whether a message may go out at this local time; the last minute is included as a
   * whole.
   */
  public boolean allow(LocalTime time) {
    var minute = time.toSecondOfDay() / 60;
    return minute >= start && minute <= end;
  }

  /**
   * Returns whether a message may go out at an instant to a participant in these zones; while they
   * move, in either zone.
   */
  public boolean allow(Instant instant, Zones zones) {
    return zones.at(instant).stream().anyMatch(zone -> allow(instant.atZone(zone).toLocalTime()));
  }

  /** Returns when the hours begin next; if that is in a spring gap, the first time after it. */
  public ZonedDateTime nextStart(ZonedDateTime now) {
    var begins = LocalTime.MIDNIGHT.plusMinutes(start);
    var today = now.toLocalDate().atTime(begins).atZone(now.getZone());
    return today.isAfter(now)
        ? today
        : now.toLocalDate().plusDays(1).atTime(begins).atZone(now.getZone());
  }

  /** Returns the text for people, {@code 08:00-21:00}. */
  public String text() {
    return text(start) + "-" + text(end);
  }

  private static String text(int minutes) {
    var time = Duration.ofMinutes(minutes);
    return "%02d:%02d".formatted(time.toHours(), time.toMinutesPart());
  }
}
