package org.habitline.conversation.model;

import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.habitline.Patterns;
import org.habitline.timers.DailyTime;
import org.jspecify.annotations.Nullable;

/**
 * Compares the time of day that a participant named in their own words with their schedules. Reads
 * clock times such as {@code 8:15}, {@code 8-9am} and {@code 20 - 21}; words such as {@code
 * evenings} say nothing exact, so they contradict nothing.
 */
final class SavedTime {

  private static final String TIME =
      "(\\d{1,2})(?:[:.h](\\d{2}))?(?:\\s*([apAP])\\.?\\s?[mM]\\b\\.?)?";

  /** One time, or two joined by a dash. */
  private static final Pattern TIMES =
      Pattern.compile("(?<![\\d:.-])" + TIME + "(?:\\s*[-–—]\\s*" + TIME + ")?(?!\\d)");

  private static final String HOUR_BEFORE =
      "(?i)" + Patterns.WORD_BOUNDARY + "([1-9](?:[:.]\\d{2})?|1[01](?:[:.]\\d{2})?)\\s+";
  private static final Pattern EARLY =
      Pattern.compile(HOUR_BEFORE + "(?:in the morning|de la ma[nñ]ana)\\b");
  private static final Pattern LATE =
      Pattern.compile(
          HOUR_BEFORE + "(?:in the (?:afternoon|evening)|at night|de la (?:tarde|noche))\\b");

  private static final int GROUPS = 3;
  private static final int NOON = 12;
  private static final int HALF_A_DAY = 12 * 60;

  private SavedTime() {}

  /**
   * A clock time.
   *
   * @param minute of the day
   * @param open whether it may mean the same time in the afternoon
   */
  private record Named(int minute, boolean open) {}

  /** Returns whether the words name clock times and none of the schedules fits them. */
  static boolean contradicts(String words, List<DailyTime> schedules) {
    var named = new ArrayList<Named>();
    var found = TIMES.matcher(withHalf(words));
    while (found.find()) {
      named.addAll(named(found));
    }
    return !named.isEmpty()
        && !schedules.isEmpty()
        && schedules.stream().noneMatch(time -> fits(time, named, 0) || fitsLater(time, named));
  }

  /** Writes the half of the day as am and pm. */
  private static String withHalf(String words) {
    return LATE.matcher(EARLY.matcher(words).replaceAll("$1am")).replaceAll("$1pm");
  }

  private static boolean fitsLater(DailyTime time, List<Named> named) {
    return named.stream().allMatch(Named::open) && fits(time, named, HALF_A_DAY);
  }

  /** Returns whether a schedule meets the span from the first named time to the last. */
  private static boolean fits(DailyTime time, List<Named> named, int later) {
    var first = named.stream().mapToInt(Named::minute).min().orElseThrow() + later;
    var last = named.stream().mapToInt(Named::minute).max().orElseThrow() + later;
    return switch (time) {
      case DailyTime.Fixed(var at) -> minute(at) >= first && minute(at) <= last;
      case DailyTime.Random(var start, var end) -> minute(start) <= last && minute(end) >= first;
    };
  }

  private static int minute(LocalTime time) {
    return time.toSecondOfDay() / 60;
  }

  private static List<Named> named(Matcher found) {
    var second = found.group(GROUPS + 1) == null ? Optional.<Named>empty() : time(found, GROUPS);
    if (second.isEmpty()) {
      // A number by itself may count anything.
      return found.group(2) == null && found.group(3) == null
          ? List.of()
          : time(found, 0).stream().toList();
    }
    return time(found, 0)
        .map(first -> List.of(before(first, second.get()), second.get()))
        .orElse(List.of());
  }

  /** Returns the first of two joined times: in "1-2pm" both are in the afternoon. */
  private static Named before(Named first, Named second) {
    var later = first.minute() + HALF_A_DAY;
    return first.open() && !second.open()
        ? new Named(later <= second.minute() ? later : first.minute(), false)
        : first;
  }

  private static Optional<Named> time(Matcher found, int before) {
    var hour = Integer.parseInt(found.group(before + 1));
    var minute = number(found.group(before + 2));
    var half = found.group(before + 3);
    if (hour > 23 || minute > 59 || (half != null && (hour == 0 || hour > NOON))) {
      return Optional.empty();
    }
    if (half != null) {
      var afternoon = half.equalsIgnoreCase("p");
      return Optional.of(new Named((hour % NOON + (afternoon ? NOON : 0)) * 60 + minute, false));
    }
    var open = hour > 0 && hour < NOON && !found.group(before + 1).startsWith("0");
    return Optional.of(new Named(hour * 60 + minute, open));
  }

  private static int number(@Nullable String digits) {
    return digits == null ? 0 : Integer.parseInt(digits);
  }
}
