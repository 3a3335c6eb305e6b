package org.habitline.participants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TimeZonesTest {

  @ParameterizedTest
  @ValueSource(strings = {"Europe/Berlin", "America/Argentina/Buenos_Aires", "UTC", "Etc/GMT+5"})
  void aNameOfTheDatabaseIsRead(String name) {
    assertThat(TimeZones.read(name)).isEqualTo(ZoneId.of(name));
  }

  @ParameterizedTest
  @CsvSource({
    "Mars/Base,Europe/Berlin",
    "europe/paris,Europe/Paris",
    "new york,America/New_York",
    "+02:00,Europe/Berlin",
    "UTC+3,Europe/Berlin",
    "CEST,Europe/Berlin",
  })
  void anythingElseIsRefusedAndTheLikelyNameIsNamed(String text, String named) {
    assertThatThrownBy(() -> TimeZones.read(text))
        .isInstanceOf(UnknownZone.class)
        .hasMessage(
            "timezone: '" + text + "' is not a time zone; use an IANA name such as " + named + ".");
  }

  @Test
  void whatCannotBeShownIsNotRepeated() {
    for (var text : List.of("x".repeat(65), "Mars\n", "\u202EMars\u202C")) {
      assertThatThrownBy(() -> TimeZones.read(text))
          .hasMessage(
              "timezone: the text given is not a time zone; use an IANA name such as Europe/Berlin.");
    }
  }
}
