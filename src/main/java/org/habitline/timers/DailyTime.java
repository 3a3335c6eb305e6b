package org.habitline.timers;

import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.SplittableRandom;
import java.util.UUID;

/** When in a participant's day a prompt comes: local wall time, in whole minutes. */
public sealed interface DailyTime {

  /** The word of the {@code scheduler} tool and of {@code scheduleRegistry} (seed 003). */
  String type();

  /**
   * Returns the wall time on a date. The same schedule has the same time on the same date, whoever
   * asks and however often, so that a turn that is resumed says what it said before.
   */
  LocalTime on(LocalDate date, String scheduleId);

  /** As people read it, {@code 08:15} or {@code 08:00-09:00}. */
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

  /** Every day at another minute of a window. {@code end} is after {@code start} and not in it. */
  record Random(LocalTime start, LocalTime end) implements DailyTime {

    public Random {
      if (!end.isAfter(start)) {
        throw new IllegalArgumentException("A window ends after it starts.");
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
