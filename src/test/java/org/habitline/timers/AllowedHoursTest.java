package org.habitline.timers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import org.habitline.participants.ZoneMove;
import org.habitline.participants.Zones;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AllowedHoursTest {

  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
  private static final Zones MOVING =
      new Zones(BERLIN, new ZoneMove(ZoneId.of("Asia/Tokyo"), LocalDate.parse("2026-03-04")));

  @ParameterizedTest
  @CsvSource({
    "08:00-21:00, 08:00-21:00",
    "8:00-21:00, 08:00-21:00",
    "' 8:05-9:10 ', 08:05-09:10",
    "0:00-24:00, 00:00-24:00",
    "23:58-23:59, 23:58-23:59"
  })
  void areReadAndWrittenAsPeopleDo(String written, String shown) {
    assertThat(AllowedHours.read(written)).map(AllowedHours::text).contains(shown);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "8-21",
        "08:00",
        "08:00-",
        "08:00 - 21:00",
        "08:00–21:00",
        "21:00-08:00",
        "08:00-08:00",
        "08:60-21:00",
        "24:00-24:00",
        "08:00-24:01",
        "08:00-25:00",
        "8am-9pm",
        "08:00-21:00,22:00-23:00"
      })
  void anythingElseIsNotRead(String written) {
    assertThat(AllowedHours.read(written)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "07:59:59.999, false",
    "08:00, true",
    "12:00, true",
    "21:00, true",
    "21:00:59.999, true",
    "21:01, false",
    "00:00, false"
  })
  void bothEndsBelongToThem(LocalTime time, boolean allowed) {
    assertThat(AllowedHours.read("08:00-21:00").orElseThrow().allow(time)).isEqualTo(allowed);
  }

  /** From Berlin to Tokyo, which is eight hours ahead; the date of the move begins at 16:00. */
  @ParameterizedTest
  @CsvSource({
    "2026-03-03T15:59, true, true",
    "2026-03-03T16:00, true, false",
    "2026-03-03T20:00, true, false",
    "2026-03-03T23:30, false, false",
    "2026-03-04T00:00, true, true"
  })
  void whileSomebodyMovesADailyPromptNeedsTheOldZoneAndAllElseBoth(
      LocalDateTime inBerlin, boolean prompt, boolean other) {
    var hours = AllowedHours.read("08:00-21:00").orElseThrow();
    var now = inBerlin.atZone(BERLIN).toInstant();
    assertThat(hours.allowPrompt(now, MOVING)).isEqualTo(prompt);
    assertThat(hours.allow(now, MOVING)).isEqualTo(other);
    if (!other) {
      assertThat(hours.nextStart(now, MOVING))
          .isEqualTo(LocalDate.parse("2026-03-04").atStartOfDay(BERLIN).toInstant());
    }
  }

  /**
   * Hours begin for both zones at once: in the old zone, in the new one, or with the move itself.
   */
  @ParameterizedTest
  @CsvSource({
    // Before eight in Auckland, the morning in Los Angeles is night there.
    "America/Los_Angeles, Pacific/Auckland, 2026-03-02T22:00, 2026-03-03T11:00",
    "America/New_York, Asia/Tokyo, 2026-03-03T15:00, 2026-03-03T18:00",
    "America/New_York, Asia/Tokyo, 2026-03-03T22:00, 2026-03-04T00:00",
    "Asia/Tokyo, America/New_York, 2026-03-04T06:00, 2026-03-04T08:00",
    "Asia/Tokyo, America/New_York, 2026-03-04T21:30, 2026-03-04T22:00",
  })
  void whileSomebodyMovesTheHoursBeginWhenBothZonesAllowIt(
      ZoneId here, ZoneId there, LocalDateTime now, LocalDateTime begins) {
    var zones = new Zones(here, new ZoneMove(there, LocalDate.parse("2026-03-04")));
    var hours = AllowedHours.read("08:00-21:00").orElseThrow();
    var next = hours.nextStart(now.atZone(here).toInstant(), zones);
    assertThat(next).isEqualTo(begins.atZone(here).toInstant());
    assertThat(hours.allow(next, zones)).isTrue();
  }

  @Test
  void whatFollowsIsMovedOnlyToATimeThatBothZonesAllow() {
    // Before the hours end in Berlin, at 20:45, it is night in Tokyo.
    var due = LocalDateTime.parse("2026-03-03T21:30").atZone(BERLIN).toInstant();
    assertThat(
            AllowedHours.read("08:00-21:00")
                .orElseThrow()
                .within(due.minus(Duration.ofHours(3)), due, MOVING))
        .isEqualTo(LocalDate.parse("2026-03-04").atStartOfDay(BERLIN).toInstant());
  }

  @ParameterizedTest
  @CsvSource({
    "12:00, 15:00, 2026-03-03T15:00",
    "18:30, 21:30, 2026-03-03T20:45",
    "19:45, 22:45, 2026-03-03T20:45",
    "19:46, 22:46, 2026-03-04T08:00",
    "20:59, 23:59, 2026-03-04T08:00"
  })
  void whatWouldFollowByNightFollowsBeforeTheyEndOrInTheMorning(
      LocalTime message, LocalTime due, LocalDateTime then) {
    var date = LocalDate.parse("2026-03-03");
    assertThat(
            AllowedHours.read("08:00-21:00")
                .orElseThrow()
                .within(
                    date.atTime(message).atZone(BERLIN).toInstant(),
                    date.atTime(due).atZone(BERLIN).toInstant(),
                    new Zones(BERLIN, null)))
        .isEqualTo(then.atZone(BERLIN).toInstant());
  }

  @Test
  void theWholeDayIsAllOfIt() {
    assertThat(AllowedHours.WHOLE_DAY.allow(LocalTime.MIN)).isTrue();
    assertThat(AllowedHours.WHOLE_DAY.allow(LocalTime.MAX)).isTrue();
    assertThat(AllowedHours.read("00:00-24:00")).contains(AllowedHours.WHOLE_DAY);
  }

  @Test
  void hoursThatEndBeforeTheyStartCannotBe() {
    assertThatThrownBy(() -> new AllowedHours(600, 600))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new AllowedHours(0, 1441))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
