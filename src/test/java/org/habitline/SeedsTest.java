package org.habitline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.ArrayList;
import org.junit.jupiter.api.Test;

final class SeedsTest {

  @Test
  void aPropertyThatFailsStopsThereAndNamesTheSeedThatRepeatsIt() {
    var seeds = new ArrayList<Long>();
    var failure =
        catchThrowable(() ->
            Seeds.each(
                3,
                seed -> {
                  seeds.add(seed);
                  throw new IllegalStateException("broken");
                }));
    assertThat(failure)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("-Dhabitline.seed=" + seeds.getFirst());
    assertThat(failure).hasRootCauseMessage("broken");
    assertThat(seeds).hasSize(1);
  }
}
