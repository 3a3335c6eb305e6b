package org.habitline.timers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.LocalTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AllowedHoursTest {

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
