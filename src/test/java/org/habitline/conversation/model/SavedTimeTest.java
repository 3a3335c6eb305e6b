package org.habitline.conversation.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.LocalTime;
import java.util.List;
import org.habitline.timers.DailyTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether a schedule fits the time that a participant named in their own words. */
final class SavedTimeTest {

  private static DailyTime time(String written) {
    var window = written.split("-", -1);
    return window.length == 1
        ? new DailyTime.Fixed(LocalTime.parse(written))
        : new DailyTime.Random(LocalTime.parse(window[0]), LocalTime.parse(window[1]));
  }

  @ParameterizedTest
  @CsvSource({
    "8:15, 08:15",
    "8:15, 20:15",
    "at 8.15 please, 08:15",
    "8-9am, 08:00-09:00",
    "8-9am, 08:30",
    "6 de la tarde, 18:00",
    "a las 7:30 de la mañana, 07:30",
    "between 8 and 9, 12:00",
    "20h30, 20:30",
    "7 p.m., 19:00",
    "12pm, 12:00",
    "1-2pm, 13:30",
    "11-1pm, 12:00",
    "8 - 9, 20:30",
    "evenings, 08:15",
    "after my 2 coffees, 08:15",
    "8:15 or 20:00, 20:00",
    "mornings around 8am, 08:00-10:00",
    "'', 08:15",
    "since 2026-03-10, 08:15",
    "25:00, 08:15",
  })
  void aScheduleThatFitsOrCannotBeComparedIsNoContradiction(String words, String schedule) {
    assertThat(SavedTime.contradicts(words, List.of(time(schedule)))).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "9:30, 08:15",
    "08:15, 20:15",
    "8-9am, 20:00-21:00",
    "7pm, 07:00",
    "1-2pm, 11:15",
    "20:00, 08:00-09:00",
    "a las 9:30, 11:15",
    "6 de la tarde, 06:00",
    "a las 8 de la mañana, 20:00",
    "at 9 in the evening, 09:00",
    "10:30 de la noche, 10:30",
  })
  void aScheduleAtAnotherTimeIsAContradiction(String words, String schedule) {
    assertThat(SavedTime.contradicts(words, List.of(time(schedule)))).isTrue();
  }

  @Test
  void oneOfSeveralSchedulesIsEnoughAndNoneIsNoContradiction() {
    assertThat(SavedTime.contradicts("9:30", List.of(time("08:15"), time("09:30")))).isFalse();
    assertThat(SavedTime.contradicts("9:30", List.of())).isFalse();
  }
}
