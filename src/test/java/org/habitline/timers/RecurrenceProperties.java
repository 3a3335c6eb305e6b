package org.habitline.timers;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import org.habitline.Seeds;
import org.junit.jupiter.api.Test;

/** Two years of prompts, wherever and whenever: one a day, whatever the clocks do. */
class RecurrenceProperties {

  private static final Duration TWO_YEARS = Duration.ofDays(730);

  private static final List<ZoneId> ZONES =
      ZoneId.getAvailableZoneIds().stream().sorted().map(ZoneId::of).toList();

  /** Zones whose clocks do unusual things, so that they are drawn often. */
  private static final List<ZoneId> UNUSUAL =
      List.of(
          ZoneId.of("Pacific/Apia"),
          ZoneId.of("Pacific/Kwajalein"),
          ZoneId.of("Australia/Lord_Howe"),
          ZoneId.of("America/Sao_Paulo"),
          ZoneId.of("America/St_Johns"),
          ZoneId.of("America/Nuuk"),
          ZoneId.of("Asia/Gaza"),
          ZoneId.of("Africa/Casablanca"),
          ZoneId.of("Antarctica/Troll"));

  /** A participant's clock, a schedule, and the moment it is made. */
  private record Case(ZoneId zone, Schedule schedule, Instant from, Duration early) {

    static Case any(long seed) {
      var random = new Random(seed);
      var zones = random.nextInt(3) == 0 ? UNUSUAL : ZONES;
      return new Case(
          zones.get(random.nextInt(zones.size())),
          new Schedule("sch_" + random.nextInt(1_000), 1, time(random), Instant.EPOCH),
          Instant.parse("1990-01-01T00:00:00Z")
              .plusSeconds(random.nextLong(Duration.ofDays(365 * 45).toSeconds())),
          Duration.ofMinutes(random.nextInt(3) == 0 ? random.nextInt(120) : 0));
    }

    private static DailyTime time(Random random) {
      // Clocks change at night: half of the times are there.
      var minutes = random.nextBoolean() ? 24 * 60 : 4 * 60;
      var start = LocalTime.ofSecondOfDay(random.nextInt(minutes - 1) * 60L);
      if (random.nextBoolean()) {
        return new DailyTime.Fixed(start);
      }
      var left = 24 * 60 - 1 - start.toSecondOfDay() / 60;
      return new DailyTime.Random(start, start.plusMinutes(1 + random.nextInt(left)));
    }

    List<Moment> moments() {
      var moments = new ArrayList<Moment>();
      var until = from.plus(TWO_YEARS);
      for (var after = from; after.isBefore(until); after = moments.getLast().at()) {
        moments.add(Recurrence.next(schedule, zone, after, date -> false, early));
      }
      return moments;
    }
  }

  @Test
  void everyLocalDateThatExistsHasOnePromptAndTheyComeInOrder() {
    Seeds.each(
        300,
        seed -> {
          var given = Case.any(seed);
          var moments = given.moments();

          var dates = new HashSet<LocalDate>();
          Moment before = null;
          for (var moment : moments) {
            assertThat(dates.add(moment.date())).as("%s %s only once", given, moment).isTrue();
            assertThat(moment.wall().toLocalDate()).as("%s", given).isEqualTo(moment.date());
            assertThat(moment.at().plus(given.early()).atZone(given.zone()).toLocalDateTime())
                .as("%s", given)
                .isEqualTo(moment.wall());
            if (before != null) {
              assertThat(moment.at()).as("%s", given).isAfter(before.at());
            }
            before = moment;
          }
          for (var date = moments.getFirst().date();
              date.isBefore(moments.getLast().date());
              date = date.plusDays(1)) {
            var exists = date.atStartOfDay(given.zone()).toLocalDate().equals(date);
            assertThat(dates.contains(date)).as("%s on %s", given, date).isEqualTo(exists);
          }
        });
  }

  @Test
  void aPromptComesAtTheTimeAskedForUnlessTheClocksLeaveItOut() {
    Seeds.each(
        300,
        seed -> {
          var given = Case.any(seed);
          for (var moment : given.moments()) {
            var asked =
                moment
                    .date()
                    .atTime(given.schedule().time().on(moment.date(), given.schedule().id()));
            var there = !given.zone().getRules().getValidOffsets(asked).isEmpty();
            if (there) {
              assertThat(moment.wall()).as("%s", given).isEqualTo(asked);
              assertThat(moment.at().plus(given.early()))
                  .as("%s: the first of two", given)
                  .isEqualTo(
                      asked.toInstant(given.zone().getRules().getValidOffsets(asked).getFirst()));
            } else {
              var leftOut = given.zone().getRules().getTransition(asked).getDuration();
              assertThat(Duration.between(moment.wall(), asked).abs())
                  .as("%s", given)
                  .isLessThanOrEqualTo(leftOut);
            }
          }
        });
  }

  @Test
  void askedAtAnyTimeBeforeTheAnswerIsTheSame() {
    Seeds.each(
        200,
        seed -> {
          var given = Case.any(seed);
          var random = new Random(seed);
          var moments = given.moments();
          var index = 1 + random.nextInt(moments.size() - 1);
          var from = moments.get(index - 1).at();
          var to = moments.get(index).at();
          var anywhere = from.plusSeconds(random.nextLong(Duration.between(from, to).toSeconds()));
          assertThat(
                  Recurrence.next(
                      given.schedule(), given.zone(), anywhere, date -> false, given.early()))
              .as("%s", given)
              .isEqualTo(moments.get(index));
        });
  }

  @Test
  void aTakenDateIsNeverPlannedAndNoOtherIsLost() {
    Seeds.each(
        200,
        seed -> {
          var given = Case.any(seed);
          var random = new Random(seed);
          var moments = given.moments();
          var taken = new HashSet<LocalDate>();
          moments.stream()
              .map(Moment::date)
              .filter(date -> random.nextInt(3) == 0)
              .forEach(taken::add);
          var expected = moments.stream().filter(moment -> !taken.contains(moment.date())).toList();

          var found = new ArrayList<Moment>();
          for (var after = given.from();
              found.size() < expected.size();
              after = found.getLast().at()) {
            found.add(
                Recurrence.next(
                    given.schedule(), given.zone(), after, taken::contains, given.early()));
          }
          assertThat(found).as("%s", given).isEqualTo(expected);
        });
  }
}
