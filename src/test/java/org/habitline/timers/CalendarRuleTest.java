package org.habitline.timers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Berlin leaves out 02:00 to 03:00 on 29 March 2026 and has it twice on 25 October 2026. */
final class CalendarRuleTest {

  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

  private static CalendarRule at(@Nullable Integer minute, @Nullable Integer hour) {
    return new CalendarRule(minute, hour, null, null, null, BERLIN);
  }

  private static List<String> next(CalendarRule rule, String after, int times) {
    return Stream.iterate(rule.next(Instant.parse(after)), rule::next)
        .limit(times)
        .map(Instant::toString)
        .toList();
  }

  @Test
  void aTimeInTheSpringGapMovesOnAndTheDayKeepsItsOne() {
    assertThat(next(at(30, 2), "2026-03-28T00:00:00Z", 3))
        .containsExactly("2026-03-28T01:30:00Z", "2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z");
  }

  @Test
  void aTimeInTheAutumnOverlapComesOnce() {
    assertThat(next(at(30, 2), "2026-10-24T12:00:00Z", 2))
        .containsExactly("2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z");
  }

  @Test
  void everyHourComesInEveryHourThatPasses() {
    assertThat(next(at(30, null), "2026-03-29T00:00:00Z", 3))
        .containsExactly("2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z", "2026-03-29T02:30:00Z");
    assertThat(next(at(30, null), "2026-10-24T23:45:00Z", 3))
        .containsExactly("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z");
  }

  @Test
  void nothingIsLeftOutAndNothingDoubledInAYear() {
    var everyMinute = at(null, null);
    assertThat(next(everyMinute, "2026-10-25T00:58:30Z", 3))
        .containsExactly("2026-10-25T00:59:00Z", "2026-10-25T01:00:00Z", "2026-10-25T01:01:00Z");
    var days = next(at(30, 2), "2025-12-31T23:00:00Z", 365);
    assertThat(days).doesNotHaveDuplicates().isSorted();
    assertThat(days.getLast()).isEqualTo("2026-12-31T01:30:00Z");
  }

  @Test
  void midnightMayBeMissing() {
    var cairo = new CalendarRule(30, 0, null, null, null, ZoneId.of("Africa/Cairo"));
    assertThat(next(cairo, "2025-04-24T12:00:00Z", 2))
        .containsExactly("2025-04-24T22:30:00Z", "2025-04-25T21:30:00Z");
  }

  @Test
  void aDayThatACountryLeftOutComesWithTheNext() {
    var apia = new CalendarRule(0, 10, null, null, null, ZoneId.of("Pacific/Apia"));
    assertThat(next(apia, "2011-12-29T12:00:00Z", 3))
        .containsExactly("2011-12-29T20:00:00Z", "2011-12-30T20:00:00Z", "2011-12-31T20:00:00Z");
  }

  @Test
  void allThatIsSaidMustHold() {
    var leapMonday = new CalendarRule(0, 9, 29, 2, 1, BERLIN);
    assertThat(next(leapMonday, "2026-01-01T00:00:00Z", 2))
        .containsExactly("2044-02-29T08:00:00Z", "2072-02-29T08:00:00Z");
    var sunday = new CalendarRule(0, 9, null, null, 0, BERLIN);
    assertThat(next(sunday, "2026-01-01T00:00:00Z", 1)).containsExactly("2026-01-04T08:00:00Z");
    var thirtyFirst = new CalendarRule(0, 9, 31, null, null, BERLIN);
    assertThat(next(thirtyFirst, "2026-01-31T12:00:00Z", 1))
        .containsExactly("2026-03-31T07:00:00Z");
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      delimiter = '|',
      value = {
        "60 | -  | -  | -  | -  | schedule.minute: expected a whole number from 0 to 59.",
        "-1 | -  | -  | -  | -  | schedule.minute: expected a whole number from 0 to 59.",
        "-  | 24 | -  | -  | -  | schedule.hour: expected a whole number from 0 to 23.",
        "-  | -  | 0  | -  | -  | schedule.day: expected a whole number from 1 to 31.",
        "-  | -  | -  | 13 | -  | schedule.month: expected a whole number from 1 to 12.",
        "-  | -  | -  | -  | 7  | schedule.weekday: expected a whole number from 0 to 6, where 0 is Sunday.",
        "-  | -  | 31 | 2  | -  | schedule: day 31 of month 2 does not exist.",
        "-  | -  | 31 | 4  | 1  | schedule: day 31 of month 4 does not exist.",
      })
  void whatNeverComesIsRefused(
      @Nullable Integer minute,
      @Nullable Integer hour,
      @Nullable Integer day,
      @Nullable Integer month,
      @Nullable Integer weekday,
      String sentence) {
    assertThatThrownBy(() -> new CalendarRule(minute, hour, day, month, weekday, BERLIN))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(sentence);
  }

  @Test
  void aRuleIsToldInWords() {
    assertThat(at(5, 9).text()).isEqualTo("every day at 09:05 (Europe/Berlin)");
    assertThat(at(null, null).text()).isEqualTo("every day every minute (Europe/Berlin)");
    assertThat(new CalendarRule(0, 9, 24, 12, null, BERLIN).text())
        .isEqualTo("every year on day 24 of December at 09:00 (Europe/Berlin)");
    assertThat(new CalendarRule(0, 9, 1, null, null, BERLIN).text())
        .isEqualTo("every month on day 1 at 09:00 (Europe/Berlin)");
    assertThat(new CalendarRule(5, null, 29, 2, 0, BERLIN).text())
        .isEqualTo("every Sunday on day 29 of February at minute 5 of every hour (Europe/Berlin)");
  }
}
