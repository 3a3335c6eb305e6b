package org.habitline.tools;

import java.time.LocalTime;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.habitline.timers.DailyTime;

/** Reads the time of day from the arguments of {@link Scheduler}. */
final class WantedTime {

  static final String TYPE = "type";
  static final String FIXED_TIME = "fixed_time";
  static final String RANDOM_START_TIME = "random_start_time";
  static final String RANDOM_END_TIME = "random_end_time";

  static final String FIXED = "fixed";
  static final String RANDOM = "random";
  static final List<String> TYPES = List.of(FIXED, RANDOM);

  static final int LONGEST_TIME = 20;

  private static final String ONE_KIND =
      "Give fixed_time for the same time every day, or random_start_time and random_end_time for"
          + " a different time within that window each day, and null for the rest";

  private final Arguments arguments;
  private final Optional<String> type;
  private final Optional<LocalTime> fixed;
  private final Optional<LocalTime> start;
  private final Optional<LocalTime> end;

  private WantedTime(Arguments arguments) {
    this.arguments = arguments;
    this.type = arguments.choice(TYPE, TYPES);
    this.fixed = time(FIXED_TIME);
    this.start = time(RANDOM_START_TIME);
    this.end = time(RANDOM_END_TIME);
  }

  /**
   * Returns the requested time, or empty if the arguments are refused.
   *
   * @param standard the time to use if none is given
   */
  static Optional<DailyTime> read(Arguments arguments, LocalTime standard) {
    var wanted = new WantedTime(arguments);
    return arguments.refusal().isPresent() ? Optional.empty() : wanted.time(standard);
  }

  /** Returns whether the arguments give no time and no type. */
  static boolean isMissing(Arguments arguments) {
    return arguments.choice(TYPE, TYPES).isEmpty()
        && Stream.of(FIXED_TIME, RANDOM_START_TIME, RANDOM_END_TIME)
            .allMatch(name -> arguments.text(name, LONGEST_TIME).isEmpty());
  }

  private Optional<LocalTime> time(String name) {
    return arguments
        .text(name, LONGEST_TIME)
        .flatMap(text -> {
          var found = DailyTime.time(text);
          if (found.isPresent()) {
            return found;
          }
          arguments.refuse(
              name,
              "'%s' is not a time; expected H:mm on the 24-hour clock, 0:00 to 23:59, such as 8:15 or 20:15."
                  .formatted(Arguments.shown(text)),
              List.of());
          return Optional.empty();
        });
  }

  private Optional<DailyTime> time(LocalTime standard) {
    var window = start.isPresent() || end.isPresent();
    if (fixed.isPresent() && window) {
      return refused(type.equals(Optional.of(FIXED)) ? given() : FIXED_TIME, ONE_KIND + ".");
    }
    if (type.isPresent() && type.get().equals(FIXED) && window) {
      return refused(given(), ONE_KIND + "; type fixed takes fixed_time.");
    }
    if (type.isPresent() && type.get().equals(RANDOM) && fixed.isPresent()) {
      return refused(FIXED_TIME, ONE_KIND + "; type random takes the window.");
    }
    return window || type.equals(Optional.of(RANDOM))
        ? window()
        : Optional.of(new DailyTime.Fixed(fixed.orElse(standard)));
  }

  private String given() {
    return start.isPresent() ? RANDOM_START_TIME : RANDOM_END_TIME;
  }

  private Optional<DailyTime> window() {
    if (start.isEmpty() || end.isEmpty()) {
      return refused(
          start.isEmpty() ? RANDOM_START_TIME : RANDOM_END_TIME,
          "A random time is drawn from a window: give both random_start_time and random_end_time.");
    }
    if (!end.get().isAfter(start.get())) {
      return refused(
          RANDOM_END_TIME,
          "The window ends at %s, which is not after its start at %s; both are times of one day. For one time give fixed_time."
              .formatted(end.get(), start.get()));
    }
    return Optional.of(new DailyTime.Random(start.get(), end.get()));
  }

  private Optional<DailyTime> refused(String field, String message) {
    arguments.refuse(field, message, List.of());
    return Optional.empty();
  }
}
