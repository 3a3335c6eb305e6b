package org.habitline.ops.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One-time codes as RFC 6238 has them. */
class OneTimeCodesTest {

  /** The secret of the RFC's appendix B. */
  private static final byte[] SECRET = "12345678901234567890".getBytes(StandardCharsets.US_ASCII);

  @ParameterizedTest
  @CsvSource({
    "59, 287082", "1111111109, 081804", "1111111111, 050471",
    "1234567890, 005924", "2000000000, 279037", "20000000000, 353130"
  })
  void theCodesAreThoseOfTheStandard(long second, String code) {
    assertThat(OneTimeCodes.step(SECRET, code, Instant.ofEpochSecond(second)))
        .isEqualTo(OptionalLong.of(second / 30));
  }

  @Test
  void theClockOfThePhoneMayBeAStepOffAndNoMore() {
    var code = OneTimeCodes.code(SECRET, 1000);
    for (int step : new int[] {999, 1000, 1001}) {
      assertThat(OneTimeCodes.step(SECRET, code, Instant.ofEpochSecond(step * 30L)))
          .isEqualTo(OptionalLong.of(1000));
    }
    assertThat(OneTimeCodes.step(SECRET, code, Instant.ofEpochSecond(1002 * 30L))).isEmpty();
    assertThat(OneTimeCodes.step(SECRET, "", Instant.ofEpochSecond(1000 * 30L))).isEmpty();
  }

  @Test
  void aRecoveryCodeIsTheSameHoweverItIsTyped() {
    var code = OneTimeCodes.newRecoveryCode();
    assertThat(code).matches("[a-z2-7]{4}(-[a-z2-7]{4}){3}");
    assertThat(
            OneTimeCodes.recoveryHash(
                "acc_1", " " + code.toUpperCase(Locale.ROOT).replace('-', ' ')))
        .isEqualTo(OneTimeCodes.recoveryHash("acc_1", code))
        .isNotEqualTo(OneTimeCodes.recoveryHash("acc_2", code));
  }
}
