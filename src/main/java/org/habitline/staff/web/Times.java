package org.habitline.staff.web;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Formats times and durations for pages. */
public final class Times {

  private static final DateTimeFormatter MINUTES =
      DateTimeFormatter.ofPattern("EEE d MMM uuuu, HH:mm", Locale.ENGLISH);
  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("EEE d MMM uuuu, HH:mm:ss", Locale.ENGLISH);

  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("EEE d MMM, HH:mm", Locale.ENGLISH);
  private static final DateTimeFormatter WHOLE_DAY =
      DateTimeFormatter.ofPattern("EEEE d MMMM uuuu", Locale.ENGLISH);
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm");

  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("EEE d MMM uuuu", Locale.ENGLISH);

  /** An ISO time in UTC, or an ISO date with or without a time of day behind it. */
  private static final Pattern ISO =
      Pattern.compile(
          "(?<![\\d-])\\d{4}-\\d\\d-\\d\\d"
              + "(?:T\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z| \\d\\d:\\d\\d)?(?![\\d-])");

  private Times() {}

  /** Returns a date as "Thu 26 Nov 2026". */
  public static String date(LocalDate date) {
    return DATE.format(date);
  }

  /** Returns the date of a time as "Thu 26 Nov 2026". */
  public static String date(Instant at, ZoneId zone) {
    return DATE.format(at.atZone(zone));
  }

  /**
   * Returns a stored text with each date and time in it as people read them: "2026-11-26 08:25" as
   * "Thu 26 Nov 2026, 08:25". Times in UTC are converted to a zone; local ones are not.
   */
  public static String readable(String text, ZoneId zone) {
    return ISO.matcher(text)
        .replaceAll(found -> Matcher.quoteReplacement(one(found.group(), zone)));
  }

  private static String one(String iso, ZoneId zone) {
    try {
      if (iso.endsWith("Z")) {
        return minutes(Instant.parse(iso), zone);
      }
      var date = date(LocalDate.parse(iso.substring(0, 10)));
      return iso.length() == 10 ? date : date + ", " + iso.substring(11);
    } catch (DateTimeException noDate) {
      return iso;
    }
  }

  /** Returns a time as "Tue 24 Nov, 14:20", for today and the days around it. */
  public static String day(Instant at, ZoneId zone) {
    return DAY.format(at.atZone(zone));
  }

  /** Returns a date as "Tuesday 24 November 2026". */
  public static String wholeDay(LocalDate date) {
    return WHOLE_DAY.format(date);
  }

  /** Returns the place that a time zone is named after, such as "New York". */
  public static String place(ZoneId zone) {
    var id = zone.getId();
    return id.substring(id.lastIndexOf('/') + 1).replace('_', ' ');
  }

  /** Returns the time of day as "14:20". */
  public static String time(Instant at, ZoneId zone) {
    return TIME.format(at.atZone(zone));
  }

  /** Returns a time as "Thu 26 Nov 2026, 08:25", or an empty string for {@code null}. */
  public static String minutes(@Nullable Instant at, ZoneId zone) {
    return at == null ? "" : MINUTES.format(at.atZone(zone));
  }

  /** Returns the time left until something: "now", "in 2 h 5 min" or "in 3 d 4 h". */
  public static String until(Duration left) {
    if (left.isNegative() || left.toMinutes() == 0) {
      return "now";
    }
    return left.toDays() == 0
        ? "in " + inTwoUnits(left)
        : "in " + left.toDays() + " d " + left.toHoursPart() + " h";
  }

  /** Returns a duration as "2 h 5 min", "7 min" or "40 s". */
  public static String inTwoUnits(Duration time) {
    if (time.toHours() > 0) {
      return time.toHours() + " h " + time.toMinutesPart() + " min";
    }
    return time.toMinutes() > 0 ? time.toMinutes() + " min" : time.toSeconds() + " s";
  }

  /**
   * Returns a duration in one unit: seconds below one minute, minutes below three hours, hours
   * below one day, then days, rounded to the nearest. A negative duration counts as zero.
   */
  public static String inOneUnit(Duration time) {
    if (time.compareTo(Duration.ofMinutes(1)) < 0) {
      return Math.max(0, time.toSeconds()) + " s";
    }
    if (time.compareTo(Duration.ofHours(3)) < 0) {
      return time.toMinutes() + " min";
    }
    if (time.compareTo(Duration.ofDays(1)) < 0) {
      return time.toHours() + " h";
    }
    var days = time.plusHours(12).toDays();
    return days == 1 ? "1 day" : days + " days";
  }

  /** Returns a time as "Thu 26 Nov 2026, 08:25:31", or an empty string for {@code null}. */
  public static String seconds(@Nullable Instant at, ZoneId zone) {
    return at == null ? "" : SECONDS.format(at.atZone(zone));
  }
}
