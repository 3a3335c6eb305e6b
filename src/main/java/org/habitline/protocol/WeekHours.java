package org.habitline.protocol;

import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.format.TextStyle;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.habitline.config.Section;

/**
 * Hours on some days of the week, in the study's time zone.
 *
 * @param days the days on which the hours begin, in the order of the week
 * @param from when the hours begin
 * @param to when the hours end; at or before {@code from}, it is on the next day
 */
public record WeekHours(List<DayOfWeek> days, LocalTime from, LocalTime to) {

  static final WeekHours ALWAYS =
      new WeekHours(List.of(DayOfWeek.values()), LocalTime.MIDNIGHT, LocalTime.MIDNIGHT);

  private static final int LONGEST = 200;

  private static final String EXPECTED_DAYS =
      "expected days such as [mon, tue, wed, thu, fri, sat, sun]";

  /** The longest time without a change, for hours that ever change. */
  private static final int MINUTES_OF_A_WEEK = 7 * 24 * 60;

  /** Reads the keys {@code days} and {@code hours}; without them, it is every day and all day. */
  static WeekHours read(Section keys) {
    var hours = hours(keys);
    return new WeekHours(days(keys), hours[0], hours[1]);
  }

  private static List<DayOfWeek> days(Section keys) {
    if (!keys.has("days")) {
      return List.of(DayOfWeek.values());
    }
    var days = new ArrayList<DayOfWeek>();
    if (keys.optionalTexts("days", LONGEST).isEmpty()) {
      keys.refuse("days", EXPECTED_DAYS + ", found none");
    }
    for (var given : keys.optionalTexts("days", LONGEST)) {
      var before = days.size();
      for (var day : DayOfWeek.values()) {
        if (word(day).equals(given)) {
          days.add(day);
        }
      }
      if (days.size() == before) {
        keys.refuse("days", EXPECTED_DAYS + ", found " + given);
      }
    }
    return days.stream().sorted().toList();
  }

  private static String word(DayOfWeek day) {
    return day.getDisplayName(TextStyle.SHORT, Locale.ENGLISH).toLowerCase(Locale.ENGLISH);
  }

  private static LocalTime[] hours(Section keys) {
    var given = keys.optionalText("hours", LONGEST);
    if (given != null) {
      var ends = given.replaceFirst("-24:00$", "-00:00").split("-", -1);
      try {
        if (ends.length == 2) {
          return new LocalTime[] {LocalTime.parse(ends[0]), LocalTime.parse(ends[1])};
        }
      } catch (DateTimeException e) {
        // Said below.
      }
      keys.refuse("hours", "expected hours such as \"08:00-20:00\", found '" + given + "'");
    }
    return new LocalTime[] {LocalTime.MIDNIGHT, LocalTime.MIDNIGHT};
  }

  /** Returns whether a local time is within the hours. */
  public boolean covers(LocalDateTime at) {
    var time = at.toLocalTime();
    var today = days.contains(at.getDayOfWeek());
    if (from.isBefore(to)) {
      return today && !time.isBefore(from) && time.isBefore(to);
    }
    var yesterday = days.contains(at.getDayOfWeek().minus(1));
    return (today && !time.isBefore(from)) || (yesterday && time.isBefore(to));
  }

  /** Returns when the hours next begin or end after a local time, or empty if they never do. */
  public Optional<LocalDateTime> changesAfter(LocalDateTime at) {
    var now = covers(at);
    var next = at.truncatedTo(ChronoUnit.MINUTES);
    for (int minute = 0; minute <= MINUTES_OF_A_WEEK; minute++) {
      next = next.plusMinutes(1);
      if (covers(next) != now) {
        return Optional.of(next);
      }
    }
    return Optional.empty();
  }
}
