package org.habitline.timers;

import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.regex.Pattern;

/** The time of day of a daily prompt: local wall time, in whole minutes. */
public sealed interface DailyTime {

  /** Reads a time of day on the 24-hour clock, {@code 8:15}; empty for any other text. */
  static Optional<LocalTime> time(String text) {
    var found = Written.TIME.matcher(text);
    return found.matches()
        ? Optional.of(
            LocalTime.of(Integer.parseInt(found.group(1)), Integer.parseInt(found.group(2))))
        : Optional.empty();
  }

  /** How a time of day is written. */
  final class Written {
    private static final Pattern TIME = Pattern.compile("([01]?[0-9]|2[0-3]):([0-5][0-9])");

    private Written() {}
  }

  /** Returns the word of the {@code scheduler} tool and of {@code scheduleRegistry} (seed 003). */
  String type();

  /**
   * Returns the wall time on a date. The result is always the same for the same schedule and date,
   * so that a resumed turn writes the same as before.
   */
  LocalTime on(LocalDate date, String scheduleId);

  /** Returns the text for people, {@code 08:15} or {@code 08:00-09:00}. */
  String text();

  /** Every day at the same time. */
  record Fixed(LocalTime at) implements DailyTime {
    @Override
    public String type() {
      return "fixed";
    }

    @Override
    public LocalTime on(LocalDate date, String scheduleId) {
      return at;
    }

    @Override
    public String text() {
      return at.toString();
    }
  }

  /**
   * Every day at another minute of a window; {@code end} is after {@code start} and not included.
   */
  record Random(LocalTime start, LocalTime end) implements DailyTime {

    public Random {
      if (!end.isAfter(start)) {
        throw new IllegalArgumentException("A window must end after it starts.");
      }
    }

    @Override
    public String type() {
      return "random";
    }

    @Override
    public LocalTime on(LocalDate date, String scheduleId) {
      var seed =
          UUID.nameUUIDFromBytes((scheduleId + " " + date).getBytes(StandardCharsets.UTF_8))
              .getLeastSignificantBits();
      var minutes = ChronoUnit.MINUTES.between(start, end);
      return start.plusMinutes(new SplittableRandom(seed).nextLong(minutes));
    }

    @Override
    public String text() {
      return start + "-" + end;
    }
  }
}
