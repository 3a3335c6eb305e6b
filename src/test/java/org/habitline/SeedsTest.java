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
                5,
                seed -> {
                  seeds.add(seed);
                  assertThat(seeds).hasSizeLessThan(3);
                }));
    assertThat(failure)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("-Dhabitline.seed=" + seeds.getLast());
    assertThat(failure.getCause()).hasMessageContaining("size");
    assertThat(seeds).hasSize(3).doesNotHaveDuplicates();
  }
}
