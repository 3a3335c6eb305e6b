package org.habitline.timers;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.Month;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A recurrence rule in the local time of a zone, as in a crontab: a field that is {@code null}
 * means any, and all given fields must match. If the hour is given, every local time occurs once:
 * in a spring gap it moves later by the length of the gap, in an autumn overlap the first of the
 * two counts. Without an hour it occurs in every hour that really passes: in both of an overlap and
 * in none of a gap. No two occurrences share an instant.
 *
 * @param minute 0 to 59
 * @param hour 0 to 23
 * @param day of the month, 1 to 31
 * @param month 1 to 12
 * @param weekday 0 to 6, Sunday is 0
 */
public record CalendarRule(
    @Nullable Integer minute,
    @Nullable Integer hour,
    @Nullable Integer day,
    @Nullable Integer month,
    @Nullable Integer weekday,
    ZoneId zone) {

  /**
   * Days to search: 29 February on a given weekday recurs after 28 years, or after 40 around a
   * century year without a leap day.
   */
  private static final int DAYS_LOOKED_AT = 366 * 41;

  private static final int MINUTES = 60;
  private static final int DAYS_OF_A_WEEK = 7;

  /**
   * @throws IllegalArgumentException if a field is out of its range, or no year has such a date
   */
  public CalendarRule {
    check("minute", minute, 0, MINUTES - 1);
    check("hour", hour, 0, 23);
    check("day", day, 1, 31);
    check("month", month, 1, 12);
    check("weekday", weekday, 0, DAYS_OF_A_WEEK - 1);
    if (day != null && month != null && day > Month.of(month).maxLength()) {
      throw new IllegalArgumentException(
          "schedule: day %d of month %d does not exist.".formatted(day, month));
    }
  }

  private static void check(String field, @Nullable Integer value, int least, int most) {
    if (value != null && (value < least || value > most)) {
      throw new IllegalArgumentException(
          "schedule.%s: expected a whole number from %d to %d%s."
              .formatted(field, least, most, field.equals("weekday") ? ", where 0 is Sunday" : ""));
    }
  }

  /** Returns the first occurrence after an instant. */
  public Instant next(Instant after) {
    // A gap at the end of the day before may have moved its last times to this day.
    var first = after.atZone(zone).toLocalDate().minusDays(1);
    return IntStream.range(0, DAYS_LOOKED_AT)
        .mapToObj(first::plusDays)
        .filter(this::isOn)
        .flatMap(date -> on(date).filter(at -> at.isAfter(after)).min(Instant::compareTo).stream())
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("The rule has no next time: " + this));
  }

  private boolean isOn(LocalDate date) {
    return (day == null || day == date.getDayOfMonth())
        && (month == null || month == date.getMonthValue())
        && (weekday == null || weekday == date.getDayOfWeek().getValue() % DAYS_OF_A_WEEK);
  }

  private Stream<Instant> on(LocalDate date) {
    var minutes = minute == null ? IntStream.range(0, MINUTES) : IntStream.of(minute);
    return hour == null
        ? everyHourOf(date)
        : minutes.mapToObj(
            it -> ZonedDateTime.ofLocal(date.atTime(hour, it), zone, null).toInstant());
  }

  private Stream<Instant> everyHourOf(LocalDate date) {
    return Stream.iterate(
            date.atStartOfDay(zone),
            at -> at.toLocalDate().equals(date),
            at -> at.plus(1, ChronoUnit.MINUTES))
        .filter(at -> minute == null || minute == at.getMinute())
        .map(ZonedDateTime::toInstant);
  }

  /** Returns the rule in words, {@code every Monday at 09:30 (Europe/Berlin)}. */
  public String text() {
    return dates() + " " + times() + " (" + zone.getId() + ")";
  }

  private String dates() {
    var days = "every " + (weekday == null ? period() : name(weekday(weekday)));
    var ofMonth = day == null ? "" : " on day " + day;
    var inMonth = month == null ? "" : (day == null ? " in " : " of ") + name(Month.of(month));
    return days + ofMonth + inMonth;
  }

  /** Returns how often a date without a weekday comes. */
  private String period() {
    if (day == null) {
      return "day";
    }
    return month == null ? "month" : "year";
  }

  private String times() {
    if (hour == null) {
      return minute == null ? "every minute" : "at minute " + minute + " of every hour";
    }
    return minute == null ? "every minute of hour " + hour : "at %02d:%02d".formatted(hour, minute);
  }

  private static DayOfWeek weekday(int weekday) {
    return DayOfWeek.of(weekday == 0 ? DAYS_OF_A_WEEK : weekday);
  }

  private static String name(Enum<?> constant) {
    return constant.name().charAt(0) + constant.name().substring(1).toLowerCase(Locale.ROOT);
  }
}
