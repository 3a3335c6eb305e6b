package org.habitline.llm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Staff read what the model's errors mean, beside their codes. */
final class ModelTroubleTest {

  private static final String STATUS = "the model's server answered with HTTP status ";

  @ParameterizedTest
  @CsvSource({
    "429 (insufficient_quota), NO_CREDIT",
    "404 (model_not_found), UNKNOWN_MODEL",
    "401 (invalid_api_key), KEY_REFUSED",
    "401, KEY_REFUSED",
    "429 (rate_limit_exceeded), TOO_MUCH",
    "500, SERVER_BROKEN",
    "503, SERVER_BROKEN"
  })
  void aStatusOfTheServerHasAMeaning(String status, ModelTrouble trouble) {
    assertThat(ModelTrouble.in(STATUS + status)).contains(trouble);
    assertThat(ModelTrouble.explained(STATUS + status)).startsWith(STATUS + status + ": ");
    assertThat(trouble.remedy()).endsWith(".");
  }

  @Test
  void anAnswerThatDoesNotComeHasOneToo() {
    assertThat(ModelTrouble.in("the model's server did not answer in time"))
        .contains(ModelTrouble.TOO_LATE);
    assertThat(ModelTrouble.in("the model's server broke its answer off (insufficient_quota)"))
        .contains(ModelTrouble.NO_CREDIT);
  }

  @Test
  void whatIsNoTroubleOfTheServerStandsAlone() {
    for (var reason : new String[] {STATUS + "400", "the model gave no text"}) {
      assertThat(ModelTrouble.in(reason)).isEmpty();
      assertThat(ModelTrouble.explained(reason)).isEqualTo(reason);
    }
  }
}
