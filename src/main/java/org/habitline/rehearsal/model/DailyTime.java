package org.habitline.rehearsal.model;

import static org.habitline.rehearsal.model.Clause.rule;

import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A time of day, or a window of time, that a schedule can have.
 *
 * @param start the time or the start of the window; null for the usual time, which Habitline knows
 * @param end the end of a window, after its start; null for a fixed time
 */
record DailyTime(@Nullable LocalTime start, @Nullable LocalTime end) {

  /** The usual time, for participants who named no time or accept any. */
  static final DailyTime USUAL = new DailyTime(null, null);

  private static final List<String> NUMBERS =
      List.of(
          "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
          "twelve");
  private static final Pattern NUMBER = rule("\\b(" + String.join("|", NUMBERS) + ")\\b");
  private static final Pattern NOON = rule("\\b(?:12 )?(?:noon|midday)\\b");
  private static final Pattern MIDNIGHT = rule("\\b(?:12 )?midnight\\b");
  private static final Pattern SPOKEN_MINUTES =
      rule("\\b(\\d{1,2})[ -](thirty|fifteen|forty[ -]five)\\b");
  private static final Pattern HALF_PAST = rule("\\bhalf (?:past )?(?:at )?(\\d{1,2})\\b");
  private static final Pattern QUARTER_PAST =
      rule("\\b(?:a )?quarter (?:past|after) (\\d{1,2})\\b");
  private static final Pattern QUARTER_TO = rule("\\b(?:a )?quarter (?:to|before) (\\d{1,2})\\b");

  private static final String CLOCK =
      "(?<![\\d:.])(\\d{1,2})(?:(?:[:.]| (?=\\d\\d$)|h(?=\\d))([0-5]\\d))?"
          + "\\s?(am\\b|pm\\b|h\\b|hrs\\b|o'?clock\\b)?"
          + "(?!\\d|[:.]\\d|\\s*(?:%|x\\b|min|sec|hours?|times?|days?|weeks?|months?|years?|kids?"
          + "|steps?|km|miles?|kg|reps?|people|things?|of\\b|more\\b))";
  private static final Pattern ONE_CLOCK =
      rule(
          "(?:\\b(before|until|till?|by|after|from|at|around|about|roughly|like|circa|ca)[ .]+|~ ?)?"
              + CLOCK);
  private static final Pattern RANGE =
      rule(
          "(?:\\b(between|after|from) )?"
              + CLOCK
              + "\\s?(-|–|—|to\\b|until\\b|till?\\b|or\\b|and(?: before)?\\b|but before\\b)\\s?"
              + CLOCK);
  private static final Pattern BESIDE_A_NUMBER =
      rule(
          "\\b(?:in|at|the|every|each|day|daily|on|please|pls|maybe|ok|okay|morning|afternoon|evening"
              + "|night)s?\\b|[^\\p{L}\\d]");
  private static final Pattern ONLY_DIGITS = rule("\\d{1,4}");
  private static final Pattern MORNING = rule("\\b(?:morning|breakfast)");
  private static final Pattern LATER = rule("\\b(?:afternoon|evening|tonight|night|dinner)");
  private static final Pattern ANY =
      rule("\\bany ?time\\b|\\bwhenever\\b|\\ball day\\b|\\bthe whole day\\b");

  /**
   * Returns the time that the words name, or empty if they name none or a window that ends before
   * it starts. A clock time takes precedence over a part of the day. An hour from 1 to 5 is in the
   * afternoon unless the words say otherwise. "Before" and "after" a time mean the hour before and
   * after it.
   */
  static Optional<DailyTime> in(String told) {
    var text = inDigits(told);
    if (RANGE.matcher(text).results().anyMatch(DailyTime::meansAWindow)) {
      return window(text);
    }
    return clock(text)
        .or(() -> PartOfDay.in(text))
        .or(() -> ANY.matcher(text).find() ? Optional.of(USUAL) : Optional.empty());
  }

  /** Returns this time; if it is the usual time, with the given clock time, if any. */
  DailyTime where(Optional<LocalTime> usual) {
    return start == null ? new DailyTime(usual.orElse(null), null) : this;
  }

  String type() {
    return end == null ? "fixed" : "random";
  }

  /**
   * Returns the time as the scheduler and the status section write it: {@code 08:15} or {@code
   * 08:00-09:00}, or {@code usual} for the usual time.
   */
  String local() {
    if (start == null) {
      return "usual";
    }
    return end == null ? start.toString() : start + "-" + end;
  }

  private static String inDigits(String told) {
    var text = Clause.plain(told).toLowerCase(Locale.ROOT);
    text = NOON.matcher(text).replaceAll("12:00");
    text = MIDNIGHT.matcher(text).replaceAll("00:00");
    text =
        NUMBER
            .matcher(text)
            .replaceAll(found -> String.valueOf(NUMBERS.indexOf(found.group(1)) + 1));
    text =
        SPOKEN_MINUTES
            .matcher(text)
            .replaceAll(found ->
                found.group(1)
                    + switch (found.group(2)) {
                      case "thirty" -> ":30";
                      case "fifteen" -> ":15";
                      default -> ":45";
                    });
    text = HALF_PAST.matcher(text).replaceAll("$1:30");
    text = QUARTER_PAST.matcher(text).replaceAll("$1:15");
    return QUARTER_TO
        .matcher(text)
        .replaceAll(found ->
            (found.group(1).equals("1") ? 12 : Integer.parseInt(found.group(1)) - 1) + ":45");
  }

  // --- a clock time ---

  private static Optional<DailyTime> clock(String text) {
    var alone = ONLY_DIGITS.matcher(BESIDE_A_NUMBER.matcher(text).replaceAll("")).matches();
    return ONE_CLOCK
        .matcher(text)
        .results()
        .filter(found ->
            alone || found.group(1) != null || found.group(3) != null || found.group(4) != null)
        .flatMap(found ->
            Hour.of(found, 2).map(hour -> around(found.group(1), hour.likely(text))).stream())
        .findFirst();
  }

  private static DailyTime around(@Nullable String preposition, LocalTime time) {
    var side = preposition == null ? "" : preposition;
    return switch (side) {
      case "before", "until", "till", "til", "by" ->
          time.isBefore(LocalTime.of(1, 0))
              ? new DailyTime(time, null)
              : new DailyTime(time.minusHours(1), time);
      case "after", "from" ->
          time.isBefore(LocalTime.of(23, 0))
              ? new DailyTime(time, time.plusHours(1))
              : new DailyTime(time, null);
      default -> new DailyTime(time, null);
    };
  }

  // --- a window ---

  /**
   * Returns whether two times are a window: "8 or 9" is one, "8:15 or 12:30" is not, and "8 and 9"
   * is one only after "between".
   */
  private static boolean meansAWindow(MatchResult found) {
    var link = found.group(5);
    if (link.equals("or")) {
      var first = Hour.of(found, 2);
      var second = Hour.of(found, 6);
      return first.isPresent()
          && second.isPresent()
          && second.get().hour() - first.get().hour() == 1
          && found.group(3) == null
          && found.group(7) == null;
    }
    return !link.equals("and") || found.group(1) != null;
  }

  private static Optional<DailyTime> window(String text) {
    return RANGE
        .matcher(text)
        .results()
        .filter(DailyTime::meansAWindow)
        .findFirst()
        .flatMap(found ->
            Hour.of(found, 2)
                .flatMap(from -> Hour.of(found, 6).flatMap(to -> between(from, to, text))));
  }

  private static Optional<DailyTime> between(Hour from, Hour to, String text) {
    if (from.certain() || !to.certain()) {
      var start = from.likely(text);
      return to.readings().stream()
          .filter(start::isBefore)
          .findFirst()
          .map(end -> new DailyTime(start, end));
    }
    var end = to.likely(text);
    return from.readings().reversed().stream()
        .filter(end::isAfter)
        .findFirst()
        .map(start -> new DailyTime(start, end));
  }

  /**
   * An hour as the participant wrote it.
   *
   * @param half "am", "pm" or empty
   * @param certain whether it has only one reading
   */
  private record Hour(int hour, int minute, String half, boolean certain) {

    static Optional<Hour> of(MatchResult found, int group) {
      var hour = Integer.parseInt(found.group(group));
      if (hour > 24) {
        return Optional.empty();
      }
      var minute = found.group(group + 1) == null ? 0 : Integer.parseInt(found.group(group + 1));
      var unit = found.group(group + 2) == null ? "" : found.group(group + 2);
      var half = unit.equals("am") || unit.equals("pm") ? unit : "";
      var padded = found.group(group).startsWith("0");
      return Optional.of(
          new Hour(hour, minute, half, padded || hour > 12 || hour == 0 || !half.isEmpty()));
    }

    /** Returns the possible times, in the order of the day. */
    List<LocalTime> readings() {
      var readings = new ArrayList<LocalTime>();
      if (!certain || (hour <= 12 && !half.equals("pm"))) {
        readings.add(LocalTime.of(half.equals("am") || !certain ? hour % 12 : hour, minute));
      }
      if (!certain || half.equals("pm") || hour > 12) {
        readings.add(LocalTime.of(hour <= 12 ? hour % 12 + 12 : hour % 24, minute));
      }
      return readings;
    }

    LocalTime likely(String text) {
      var readings = readings();
      if (readings.size() == 1) {
        return readings.getFirst();
      }
      var morning = first(MORNING, text);
      var later = first(LATER, text);
      var afternoon = morning == later ? hour <= 5 : later < morning;
      return afternoon || hour == 12 ? readings.getLast() : readings.getFirst();
    }

    private static int first(Pattern rule, String text) {
      var found = rule.matcher(text);
      return found.find() ? found.start() : Integer.MAX_VALUE;
    }
  }
}
