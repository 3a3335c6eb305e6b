package org.habitline.staff;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/** Moments as pages show them. */
final class Times {

  private static final DateTimeFormatter MINUTES = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm");
  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");

  private Times() {}

  static String minutes(@Nullable Instant at, ZoneId zone) {
    return at == null ? "" : MINUTES.format(at.atZone(zone));
  }

  /** How long it takes until something, in words. */
  static String until(Duration left) {
    if (left.isNegative() || left.toMinutes() == 0) {
      return "now";
    }
    if (left.toHours() == 0) {
      return "in " + left.toMinutes() + " min";
    }
    return left.toDays() == 0
        ? "in " + left.toHours() + " h " + left.toMinutesPart() + " min"
        : "in " + left.toDays() + " d " + left.toHoursPart() + " h";
  }

  static String seconds(@Nullable Instant at, ZoneId zone) {
    return at == null ? "" : SECONDS.format(at.atZone(zone));
  }
}
