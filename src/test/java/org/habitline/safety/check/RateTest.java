package org.habitline.safety.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** Rates and their intervals, compared with the closed form of Wilson's score at its ends. */
final class RateTest {

  private static final double Z_SQUARED = 3.841459;

  @Test
  void aPerfectRateStillHasALowerEnd() {
    var rate = new Rate(75, 75);
    assertThat(rate.low()).isCloseTo(75 / (75 + Z_SQUARED), within(1e-6));
    assertThat(rate.high()).isEqualTo(1);
    assertThat(rate).hasToString("75 of 75 = 1.000 (0.951 to 1.000)");
  }

  @Test
  void noHitAtAllStillHasAnUpperEnd() {
    var rate = new Rate(0, 126);
    assertThat(rate.low()).isCloseTo(0, within(1e-12));
    assertThat(rate.high()).isCloseTo(Z_SQUARED / (126 + Z_SQUARED), within(1e-6));
  }

  @Test
  void halfOfTenHasASymmetricInterval() {
    var rate = new Rate(5, 10);
    assertThat(rate.low()).isCloseTo(0.2366, within(1e-4));
    assertThat(rate.high()).isCloseTo(0.7634, within(1e-4));
  }

  @Test
  void withoutExamplesNothingIsKnown() {
    assertThat(new Rate(0, 0)).hasToString("0 of 0");
    assertThat(new Rate(0, 0).high()).isEqualTo(1);
  }
}
