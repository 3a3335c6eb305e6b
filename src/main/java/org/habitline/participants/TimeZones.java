package org.habitline.participants;

import java.time.ZoneId;
import java.util.Locale;
import java.util.Optional;

/**
 * Reads names of the IANA time zone database. Offsets and abbreviations that Java alone understands
 * ({@code +02:00}, {@code UTC+3}) are refused: a participant's clock follows a place.
 */
public final class TimeZones {

  private static final int LONGEST_ECHO = 64;

  private TimeZones() {}

  /**
   * Returns the zone of that exact name.
   *
   * @throws UnknownZone with a sentence; names the zone that was probably meant when the text
   *     differs only in case or is the last part of a name
   */
  public static ZoneId read(String text) {
    if (ZoneId.getAvailableZoneIds().contains(text)) {
      return ZoneId.of(text);
    }
    throw new UnknownZone(
        "timezone: "
            + shown(text)
            + " is not a time zone; use an IANA name such as "
            + meant(text).orElse("Europe/Berlin")
            + ".");
  }

  private static String shown(String text) {
    boolean plain =
        !text.isBlank()
            && text.length() <= LONGEST_ECHO
            && text.codePoints().noneMatch(TimeZones::unseen);
    return plain ? "'" + text + "'" : "the text given";
  }

  /** Control characters, and invisible ones that turn the writing of the sentence around. */
  private static boolean unseen(int c) {
    return Character.isISOControl(c) || Character.getType(c) == Character.FORMAT;
  }

  private static Optional<String> meant(String text) {
    String wanted = text.strip().replace(' ', '_').toLowerCase(Locale.ROOT);
    if (wanted.isEmpty()) {
      return Optional.empty();
    }
    return ZoneId.getAvailableZoneIds().stream()
        .filter(id -> {
          String name = id.toLowerCase(Locale.ROOT);
          return name.equals(wanted) || name.endsWith("/" + wanted);
        })
        .sorted()
        .findFirst();
  }
}
