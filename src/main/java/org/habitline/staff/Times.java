package org.habitline.staff;

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

  static String seconds(@Nullable Instant at, ZoneId zone) {
    return at == null ? "" : SECONDS.format(at.atZone(zone));
  }
}
