package org.habitline.participants;

import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Reads names of the IANA time zone database. Refuses offsets and abbreviations that only Java
 * understands ({@code +02:00}, {@code UTC+3}): a participant's clock follows a place.
 */
public final class TimeZones {

  private static final int LONGEST_ECHO = 64;

  private static final List<String> OF_PLACES =
      ZoneId.getAvailableZoneIds().stream()
          .filter(zone -> zone.contains("/") && !zone.startsWith("Etc/"))
          .filter(zone -> !zone.startsWith("SystemV/"))
          .sorted()
          .toList();

  private TimeZones() {}

  /**
   * Returns the time zones of places in alphabetical order, without the fixed offsets that IANA
   * keeps for old programs.
   */
  public static List<String> ofPlaces() {
    return OF_PLACES;
  }

  /**
   * Returns the zone with exactly this name.
   *
   * @throws UnknownZone with a message for users; it suggests a zone if the text differs only in
   *     case or is the last part of a name
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

  /**
   * Returns whether a character is a control character or an invisible one, such as those that
   * reverse the writing direction.
   */
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
