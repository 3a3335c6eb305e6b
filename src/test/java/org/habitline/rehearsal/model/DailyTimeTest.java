package org.habitline.rehearsal.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DailyTimeTest {

  private static String local(String told) {
    return DailyTime.in(told).map(DailyTime::local).orElse("");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          8:15 | 08:15
          08:15 | 08:15
          8.15 | 08:15
          8h15 | 08:15
          8 15 | 08:15
          8:15am | 08:15
          8:15 a.m. | 08:15
          8:15 PM | 20:15
          18:30 | 18:30
          8 | 08:00
          08 | 08:00
          20 | 20:00
          8 please | 08:00
          at 8 | 08:00
          around 8 | 08:00
          about 9am | 09:00
          at 7pm | 19:00
          7 p.m. | 19:00
          10 o'clock | 10:00
          at ten o'clock | 10:00
          at eight | 08:00
          eight thirty | 08:30
          at nine fifteen | 09:15
          half past nine | 09:30
          half past 7 pm | 19:30
          half eight | 08:30
          quarter past eight | 08:15
          a quarter to ten | 09:45
          quarter to one | 12:45
          noon | 12:00
          at midday | 12:00
          12 noon | 12:00
          12pm | 12:00
          12:30 | 12:30
          12am | 00:00
          midnight | 00:00
          around 4 | 16:00
          at 5 | 17:00
          02:30 | 02:30
          6:30 | 06:30
          mornings around 8 | 08:00
          mornings at 4 | 04:00
          in the evening, around 7 | 19:00
          evenings at 7:30 | 19:30
          8 in the evening | 20:00
          9 at night | 21:00
          8 in the morning | 08:00
          lunch at 12:30 | 12:30
          8:15 or 12:30 | 08:15
          every day at 9:30 | 09:30
          8am every day | 08:00
          """)
  void aTimeOnTheClockIsFixed(String told, String local) {
    assertThat(local(told)).isEqualTo(local);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          8-9am | 08:00-09:00
          8-9 am | 08:00-09:00
          8am-9am | 08:00-09:00
          8 - 9 | 08:00-09:00
          8–9 | 08:00-09:00
          8 to 9 | 08:00-09:00
          8 or 9 | 08:00-09:00
          8-9pm | 20:00-21:00
          between 8 and 9 | 08:00-09:00
          between eight and nine | 08:00-09:00
          between 8:30 and 9:15 | 08:30-09:15
          between 5pm and 6pm | 17:00-18:00
          from 7 to 8 pm | 19:00-20:00
          from 9 until 10 | 09:00-10:00
          11-1 | 11:00-13:00
          11-1pm | 11:00-13:00
          11am to 1 | 11:00-13:00
          10-12pm | 10:00-12:00
          9-5 | 09:00-17:00
          5-6 | 17:00-18:00
          17-18 | 17:00-18:00
          17:00-18:30 | 17:00-18:30
          12-1 | 12:00-13:00
          noon to 1pm | 12:00-13:00
          after 8 and before 9 | 08:00-09:00
          mornings between 8 and 9 | 08:00-09:00
          evenings 7-8 | 19:00-20:00
          7 to 8 in the evening | 19:00-20:00
          before 9 | 08:00-09:00
          by 10 | 09:00-10:00
          until 9:30 | 08:30-09:30
          before noon | 11:00-12:00
          after 6pm | 18:00-19:00
          from 8 | 08:00-09:00
          08:00-09:00 | 08:00-09:00
          11:00-13:00 | 11:00-13:00
          """)
  void aWindowOnTheClockIsRandom(String told, String local) {
    assertThat(local(told)).isEqualTo(local);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          morning | 08:00-10:00
          mornings | 08:00-10:00
          in the morning | 08:00-10:00
          weekday mornings | 08:00-10:00
          early mornings | 08:00-09:00
          first thing in the morning | 08:00-09:00
          at breakfast | 08:00-09:00
          late morning | 10:00-12:00
          before lunch | 11:00-12:00
          at lunch | 12:00-13:00
          lunchtime | 12:00-13:00
          my lunch break | 12:00-13:00
          after lunch | 13:00-14:00
          afternoon | 14:00-16:00
          in the afternoons | 14:00-16:00
          early afternoon | 13:00-15:00
          late afternoon | 16:00-18:00
          after work | 17:00-19:00
          before dinner | 17:00-18:00
          at dinner | 18:00-19:00
          after dinner | 19:00-20:00
          evenings please | 18:00-20:00
          in the evening | 18:00-20:00
          early evening | 17:00-19:00
          late evenings | 20:00-21:00
          at night | 20:00-21:00
          tonight | 20:00-21:00
          before bed | 20:00-21:00
          mornings or evenings | 08:00-10:00
          any time of day | usual
          """)
  void aPartOfTheDayIsAWindowWithinTheUsualHours(String told, String local) {
    assertThat(local(told)).isEqualTo(local);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "weekends",
        "before the kids wake up",
        "when the phone buzzes",
        "in 10 minutes",
        "3 times a day",
        "at 99",
        "at 8:75",
        "9pm-8am",
        "one of these days",
        "good"
      })
  void whatNamesNoTimeIsNone(String told) {
    assertThat(local(told)).isEmpty();
  }
}
