package org.habitline.timers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.habitline.participants.ZoneMove;
import org.habitline.participants.Zones;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecurrenceTest {

  private static final ZoneId NEW_YORK = ZoneId.of("America/New_York");
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

  private static Schedule at(String time) {
    return schedule(new DailyTime.Fixed(LocalTime.parse(time)));
  }

  private static Schedule between(String start, String end) {
    return schedule(new DailyTime.Random(LocalTime.parse(start), LocalTime.parse(end)));
  }

  private static Schedule schedule(DailyTime time) {
    return new Schedule("sch_1", 1, time, Instant.EPOCH);
  }

  private static Moment next(Schedule schedule, ZoneId zone, String after) {
    return next(schedule, zone, after, Duration.ZERO);
  }

  private static Moment next(Schedule schedule, ZoneId zone, String after, Duration early) {
    return Recurrence.next(schedule, zone, Instant.parse(after), date -> false, early);
  }

  @Test
  void theFirstPromptComesTodayIfItsTimeIsStillAhead() {
    var moment = next(at("08:15"), BERLIN, "2026-03-02T07:14:59Z");
    assertThat(moment.text()).isEqualTo("2026-03-02 08:15");
    assertThat(moment.at()).isEqualTo(Instant.parse("2026-03-02T07:15:00Z"));
    assertThat(moment.date()).isEqualTo(LocalDate.parse("2026-03-02"));
  }

  @ParameterizedTest
  @CsvSource({
    // To Tokyo on the 4th, which begins in Berlin when it is eight in Tokyo: the evening of the 3rd
    // is in Berlin, and the first morning in Tokyo that of the 5th.
    "20:00, Asia/Tokyo, 2026-03-03T12:00:00Z, 2026-03-03T19:00:00Z",
    "20:00, Asia/Tokyo, 2026-03-03T19:00:00Z, 2026-03-04T11:00:00Z",
    "07:00, Asia/Tokyo, 2026-03-03T06:00:00Z, 2026-03-04T22:00:00Z",
    "08:00, Asia/Tokyo, 2026-03-03T07:00:00Z, 2026-03-03T23:00:00Z",
    // To New York: the morning of the 4th comes six hours later than in Berlin.
    "07:00, America/New_York, 2026-03-03T06:00:00Z, 2026-03-04T12:00:00Z",
    "07:00, America/New_York, 2026-03-04T06:30:00Z, 2026-03-04T12:00:00Z",
  })
  void theNewZoneCountsOnceTheDateOfTheMoveHasBegunInBoth(
      String time, ZoneId to, Instant after, Instant expected) {
    var zones = new Zones(BERLIN, new ZoneMove(to, LocalDate.parse("2026-03-04")));
    assertThat(Recurrence.next(at(time), zones, after, date -> false, Duration.ZERO).at())
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "America/New_York, Asia/Tokyo",
    "Asia/Tokyo, America/New_York",
    "Europe/Berlin, Pacific/Auckland",
    "Pacific/Honolulu, Pacific/Kiritimati",
    "Pacific/Kiritimati, Pacific/Honolulu",
  })
  void aPlannedMoveCostsNoPromptBeforeItAndNoDayWithoutOneAfterIt(ZoneId here, ZoneId there) {
    var move = new ZoneMove(there, LocalDate.parse("2026-03-04"));
    var zones = new Zones(here, move);
    var moves = move.due(here);
    for (int hour = 0; hour < 24; hour++) {
      var schedule = at("%02d:30".formatted(hour));
      var dates = new HashSet<LocalDate>();
      var after = Instant.parse("2026-03-01T00:00:00Z");
      while (after.isBefore(Instant.parse("2026-03-08T00:00:00Z"))) {
        var next = Recurrence.next(schedule, zones, after, dates::contains, Duration.ZERO);
        var staying = Recurrence.next(schedule, here, after, dates::contains, Duration.ZERO);
        if (staying.at().isBefore(moves)) {
          assertThat(next).isEqualTo(staying);
        } else {
          assertThat(next.zone()).isEqualTo(there);
          assertThat(next.at()).isAfterOrEqualTo(moves);
        }
        assertThat(Duration.between(after, next.at())).isLessThan(Duration.ofHours(51));
        assertThat(dates.add(next.date())).isTrue();
        after = next.at();
      }
    }
  }

  @Test
  void aTimeThatIsNowOrPastComesTomorrow() {
    assertThat(next(at("08:15"), BERLIN, "2026-03-02T07:15:00Z").text())
        .isEqualTo("2026-03-03 08:15");
    assertThat(next(at("08:15"), BERLIN, "2026-03-02T22:59:00Z").text())
        .isEqualTo("2026-03-03 08:15");
    assertThat(next(at("08:15"), BERLIN, "2026-03-02T23:01:00Z").text())
        .isEqualTo("2026-03-03 08:15");
  }

  @Test
  void aDateThatIsTakenIsLeftOut() {
    var taken = Set.of(LocalDate.parse("2026-03-02"), LocalDate.parse("2026-03-03"));
    var moment =
        Recurrence.next(
            at("08:15"),
            BERLIN,
            Instant.parse("2026-03-02T06:00:00Z"),
            taken::contains,
            Duration.ZERO);
    assertThat(moment.text()).isEqualTo("2026-03-04 08:15");
  }

  @Test
  void aScheduleWithoutAFreeDateIsABrokenPromise() {
    assertThatThrownBy(
            () -> Recurrence.next(at("08:15"), BERLIN, Instant.EPOCH, date -> true, Duration.ZERO))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("sch_1");
  }

  @Test
  void inTheSpringGapTheTimeMovesOnByItsLength() {
    var moment = next(at("02:30"), NEW_YORK, "2026-03-08T05:00:00Z");
    assertThat(moment.text()).isEqualTo("2026-03-08 03:30");
    assertThat(moment.at()).isEqualTo(Instant.parse("2026-03-08T07:30:00Z"));
    assertThat(next(at("02:30"), NEW_YORK, "2026-03-08T07:30:00Z").text())
        .isEqualTo("2026-03-09 02:30");
  }

  @Test
  void inTheAutumnOverlapTheFirstOfTheTwoCountsAndTheSecondDoesNot() {
    var moment = next(at("01:30"), NEW_YORK, "2026-11-01T04:00:00Z");
    assertThat(moment.text()).isEqualTo("2026-11-01 01:30");
    assertThat(moment.at()).as("summer time").isEqualTo(Instant.parse("2026-11-01T05:30:00Z"));
    assertThat(next(at("01:30"), NEW_YORK, "2026-11-01T05:30:00Z").at())
        .isEqualTo(Instant.parse("2026-11-02T06:30:00Z"));
  }

  @Test
  void aGapOfHalfAnHourMovesTheTimeByHalfAnHour() {
    var lordHowe = ZoneId.of("Australia/Lord_Howe");
    assertThat(next(at("02:15"), lordHowe, "2026-10-03T12:00:00Z").text())
        .isEqualTo("2026-10-04 02:45");
    assertThat(next(at("01:45"), lordHowe, "2026-04-04T12:00:00Z").at())
        .as("the first of the two")
        .isEqualTo(Instant.parse("2026-04-04T14:45:00Z"));
  }

  @Test
  void aDateThatAZoneLeftOutHasNoPrompt() {
    var apia = ZoneId.of("Pacific/Apia");
    var leftOut = LocalDate.parse("2011-12-30");
    assertThat(Recurrence.on(at("08:15"), leftOut, apia, Duration.ZERO)).isEmpty();
    var before = next(at("08:15"), apia, "2011-12-29T10:00:00Z");
    var after = next(at("08:15"), apia, before.at().toString());
    assertThat(before.text()).isEqualTo("2011-12-29 08:15");
    assertThat(after.text()).isEqualTo("2011-12-31 08:15");
    assertThat(Duration.between(before.at(), after.at())).isEqualTo(Duration.ofDays(1));
  }

  @Test
  void aGapThatReachesMidnightDoesNotPushAPromptIntoTheNextDay() {
    // In 2024 the clocks of Nuuk went from 23:00 on the 30th of March to 00:00 on the 31st.
    var nuuk = ZoneId.of("America/Nuuk");
    var moment = next(at("23:30"), nuuk, "2024-03-30T12:00:00Z");
    assertThat(moment.text()).isEqualTo("2024-03-30 22:59");
    assertThat(next(at("23:30"), nuuk, moment.at().toString()).text())
        .isEqualTo("2024-03-31 23:30");
  }

  @Test
  void aZoneWithoutSummerTimeHasTheSameUtcTimeAllYear() {
    var tokyo = ZoneId.of("Asia/Tokyo");
    for (var after : new String[] {"2026-01-10T00:00:00Z", "2026-07-10T00:00:00Z"}) {
      assertThat(next(at("11:15"), tokyo, after).at().toString()).endsWith("T02:15:00Z");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "2026-03-02T07:04:00Z, 2026-03-02 08:15, 2026-03-02T07:05:00Z",
    "2026-03-02T07:05:00Z, 2026-03-03 08:15, 2026-03-03T07:05:00Z"
  })
  void aPromptThatLeavesEarlyIsPlannedForTheTimeItLeaves(String after, String wall, String leaves) {
    var moment = next(at("08:15"), BERLIN, after, Duration.ofMinutes(10));
    assertThat(moment.text()).isEqualTo(wall);
    assertThat(moment.at()).isEqualTo(Instant.parse(leaves));
  }

  @Test
  void aPromptThatLeavesBeforeMidnightBelongsToTheDayAfter() {
    var moment = next(at("00:05"), BERLIN, "2026-03-02T22:00:00Z", Duration.ofMinutes(10));
    assertThat(moment.date()).isEqualTo(LocalDate.parse("2026-03-03"));
    assertThat(moment.at()).isEqualTo(Instant.parse("2026-03-02T22:55:00Z"));
  }

  @Test
  void aRandomTimeStaysInItsWindowAndIsAnotherOneOnOtherDays() {
    var schedule = between("08:00", "09:00");
    var times =
        IntStream.range(0, 365)
            .mapToObj(LocalDate.parse("2026-01-01")::plusDays)
            .map(date -> schedule.time().on(date, schedule.id()))
            .toList();
    assertThat(times)
        .allSatisfy(time ->
            assertThat(time).isAfterOrEqualTo(LocalTime.of(8, 0)).isBefore(LocalTime.of(9, 0)));
    assertThat(Set.copyOf(times)).hasSizeGreaterThan(50);
  }

  @Test
  void aRandomTimeIsTheSameWheneverItIsAskedForAndOthersHaveOthers() {
    var window = new DailyTime.Random(LocalTime.of(8, 0), LocalTime.of(20, 0));
    var date = LocalDate.parse("2026-03-02");
    assertThat(window.on(date, "sch_1")).isEqualTo(window.on(date, "sch_1"));
    var drawn =
        IntStream.range(0, 100).mapToObj(number -> window.on(date, "sch_" + number)).toList();
    assertThat(Set.copyOf(drawn)).hasSizeGreaterThan(50);
  }

  @Test
  void aWindowOfOneMinuteIsThatMinute() {
    assertThat(next(between("08:00", "08:01"), BERLIN, "2026-03-02T00:00:00Z").text())
        .isEqualTo("2026-03-02 08:00");
  }

  @Test
  void aWindowThatDoesNotEndAfterItStartsIsRefused() {
    assertThatThrownBy(() -> between("09:00", "09:00"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> between("22:00", "02:00"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
