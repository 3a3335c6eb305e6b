package org.habitline.staff.people;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.habitline.RunningLine;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Numbers of countries that a study does not allow are refused beside their field. */
final class AllowedCountriesTest {

  private static final Actor SAM = new Actor("Sam", "staff");
  private static final String REFUSED =
      "phone_number: numbers of ES may not be texted; budgets.countries in config/study.yaml allows"
          + " US, GB.";

  private static RunningLine line;

  @BeforeAll
  static void start() {
    line =
        RunningLine.in(AllowedCountriesTest.class)
            .study("budgets: {countries: [US, GB]}\n")
            .build();
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  private static EnrolmentDesk desk() {
    return line.bean(EnrolmentDesk.class);
  }

  private static EnrolmentDesk.Wanted of(String number) {
    return new EnrolmentDesk.Wanted(number, null, null, null, null, null, null, null);
  }

  @Test
  void aNumberOfAnotherCountryIsNeitherEnrolledNorImportedNorGivenToSomebody() {
    assertThatThrownBy(() -> desk().enrol(SAM, of("+34612345678"))).hasMessage(REFUSED);
    assertThat(desk().problems(of("+34612345678")))
        .extracting(ApiProblem::getMessage)
        .containsExactly(REFUSED);
    assertThat(desk().problems(of("+442071838750"))).isEmpty();
    var robin = desk().enrol(SAM, of("+12065550100")).participant();
    assertThatThrownBy(() -> desk().changeNumber(SAM, robin.id(), "+34612345678", null))
        .hasMessage(REFUSED);
    assertThat(desk().enrol(SAM, of("+442071838750")).participant().phone().e164())
        .isEqualTo("+442071838750");
  }
}
