package org.habitline.llm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Staff read what a failure of the model means, beside what the server said. */
final class ModelFailureTest {

  private static final String SAID = "the model's server answered with HTTP status 401";

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OTHER")
  void aKnownFailureHasAMeaningAndARemedy(ModelFailure failure) {
    assertThat(ModelFailure.explained(SAID, failure)).startsWith(SAID + ": ");
    assertThat(failure.remedy().orElseThrow()).endsWith(".");
  }

  @Test
  void whatNobodyKnowsStandsAlone() {
    assertThat(ModelFailure.explained(SAID, ModelFailure.OTHER)).isEqualTo(SAID);
    assertThat(ModelFailure.explained(SAID, null)).isEqualTo(SAID);
    assertThat(ModelFailure.OTHER.remedy()).isEmpty();
  }
}
