package org.habitline.rehearsal.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.ZoneId;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlacesTest {

  private static String zone(String told) {
    return Places.in(told).map(Places.Told::zone).orElse("");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          I'm in New York | America/New_York
          I am in New York City now | America/New_York
          i live in berlin | Europe/Berlin
          I'm currently living in Tokyo | Asia/Tokyo
          I moved to Los Angeles | America/Los_Angeles
          I'm based in the UK | Europe/London
          we're in São Paulo |
          we're in Sao Paulo | America/Sao_Paulo
          London time | Europe/London
          8am New York time please | America/New_York
          9:30 Berlin time | Europe/Berlin
          at 8 pacific time | America/Los_Angeles
          Eastern time | America/New_York
          central european time | Europe/Berlin
          my timezone is Europe/Paris | Europe/Paris
          time zone: Asia/Kolkata | Asia/Kolkata
          america/new_york | America/New_York
          8am EST | America/New_York
          9:30 pst | America/Los_Angeles
          8 GMT | Europe/London
          I'm in India | Asia/Kolkata
          """)
  void whereSomeoneIsSaysTheirZone(String told, String zone) {
    assertThat(zone(told)).isEqualTo(zone == null ? "" : zone);
    if (zone != null) {
      assertThat(ZoneId.getAvailableZoneIds()).contains(zone);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "lunch time",
        "any time",
        "next time",
        "wake time",
        "Christmas time",
        "I'm in a meeting",
        "I'm in bed",
        "I live in central nowhere",
        "I love New York",
        "it was the best time",
        "either/or",
        "I'm in Smallville"
      })
  void whatIsNoPlaceSaysNothing(String told) {
    assertThat(zone(told)).isEmpty();
  }
}
