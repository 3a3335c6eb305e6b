package org.habitline.study.coding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** Kappa as text books compute it. */
final class AgreementTest {

  /**
   * Two pathologists, 118 slides (Agresti, Categorical Data Analysis, 3rd ed., section 11.5): kappa
   * 0.493 with a standard error of 0.057.
   */
  @Test
  void kappaAndItsIntervalAreThoseOfTheTextbook() {
    var agreement =
        Agreement.of(new long[][] {{22, 2, 2, 0}, {5, 7, 14, 0}, {0, 2, 36, 0}, {0, 1, 17, 10}});
    assertThat(agreement.n()).isEqualTo(118);
    assertThat(agreement.agreed()).isEqualTo(75);
    assertThat(agreement.agreement()).isEqualTo(75 / 118.0);
    assertThat(agreement.kappa()).isEqualTo(0.493, within(0.0005));
    assertThat(agreement.kappaLow()).isEqualTo(0.493 - 1.96 * 0.057, within(0.002));
    assertThat(agreement.kappaHigh()).isEqualTo(0.493 + 1.96 * 0.057, within(0.002));
    assertThat(agreement.categories()).containsExactly("done", "partly", "not_done", "unclear");
    assertThat(agreement.table().get(1)).containsExactly(5L, 7L, 14L, 0L);
  }

  @Test
  void withoutPairsOrWithOneCategoryThereIsNoKappa() {
    assertThat(Agreement.of(new long[4][4]).kappa()).isNull();
    var always = new long[4][4];
    always[0][0] = 7;
    assertThat(Agreement.of(always))
        .extracting(Agreement::agreement, Agreement::kappa, Agreement::kappaLow)
        .containsExactly(1.0, null, null);
  }

  @Test
  void perfectAgreementIsOne() {
    var agreement =
        Agreement.of(new long[][] {{5, 0, 0, 0}, {0, 3, 0, 0}, {0, 0, 4, 0}, {0, 0, 0, 1}});
    assertThat(agreement)
        .extracting(Agreement::kappa, Agreement::kappaLow, Agreement::kappaHigh)
        .containsExactly(1.0, 1.0, 1.0);
  }
}
