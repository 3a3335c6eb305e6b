package org.habitline.participants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.i18n.phonenumbers.PhoneNumberUtil;
import com.google.i18n.phonenumbers.PhoneNumberUtil.PhoneNumberFormat;
import com.google.i18n.phonenumbers.PhoneNumberUtil.PhoneNumberType;
import com.google.i18n.phonenumbers.Phonenumber;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.habitline.Seeds;
import org.junit.jupiter.api.Test;

/** Whatever is written, a number comes out as E.164 or a sentence says what is accepted. */
final class PhoneNumbersProperties {

  private static final PhoneNumberUtil UTIL = PhoneNumberUtil.getInstance();

  /** But for two whose numbers are shorter than E.164 is read here. */
  private static final List<String> REGIONS =
      UTIL.getSupportedRegions().stream()
          .filter(region -> !List.of("TA", "TK").contains(region))
          .sorted()
          .toList();

  private static PhoneNumbers in(String region) {
    return new PhoneNumbers(new PhoneSettings(region));
  }

  private static Phonenumber.PhoneNumber example(String region) {
    var mobile = UTIL.getExampleNumberForType(region, PhoneNumberType.MOBILE);
    return mobile == null ? UTIL.getExampleNumber(region) : mobile;
  }

  private static <T> T pick(List<T> list, Random random) {
    return list.get(random.nextInt(list.size()));
  }

  private static String digits(Random random, int count) {
    return random.ints(count, 0, 10).mapToObj(Integer::toString).collect(Collectors.joining());
  }

  @Test
  void aPlusAnd8To15DigitsAreTakenAtTheirWord() {
    Seeds.each(
        300,
        seed -> {
          var random = new Random(seed);
          var given = "+" + digits(random, random.nextInt(8, 16));
          assertThat(in(pick(REGIONS, random)).read(given).number().e164()).isEqualTo(given);
        });
  }

  @Test
  void aNumberOfAnyRegionIsReadHoweverItIsUsuallyWritten() {
    Seeds.each(
        300,
        seed -> {
          var random = new Random(seed);
          var region = pick(REGIONS, random);
          var example = example(region);
          var format =
              pick(List.of(PhoneNumberFormat.NATIONAL, PhoneNumberFormat.INTERNATIONAL), random);
          var written = "\u202a" + UTIL.format(example, format) + " \u202c";
          var read = in(region).read(written);
          assertThat(read.number().e164()).isEqualTo(UTIL.format(example, PhoneNumberFormat.E164));
          assertThat(read.warnings()).isEmpty();
        });
  }

  @Test
  void anythingElseIsRefusedWithASentenceThatDoesNotRepeatIt() {
    Seeds.each(
        500,
        seed -> {
          var random = new Random(seed);
          var alphabet = "0123456789+-() ./abcXYZ#;=\u0000\ud83d\u0661\uff0b";
          var written = new StringBuilder();
          for (int n = random.nextInt(20); n > 0; n--) {
            written.append(alphabet.charAt(random.nextInt(alphabet.length())));
          }
          try {
            var read = in("US").read(written.toString());
            assertThat(read.number().e164()).matches("\\+[0-9]{8,15}");
          } catch (UnreadablePhoneNumber refused) {
            assertThat(refused).hasMessageStartingWith("phone_number: not a phone number; ");
            var digits = written.toString().replaceAll("[^0-9]", "");
            if (digits.length() > 3) {
              assertThat(String.valueOf(refused.getMessage())).doesNotContain(digits);
            }
          }
        });
  }

  @Test
  void tooFewOrTooManyDigitsAreRefused() {
    Seeds.each(
        100,
        seed -> {
          var random = new Random(seed);
          var count = random.nextBoolean() ? random.nextInt(0, 8) : random.nextInt(16, 40);
          var given = "+" + digits(random, count);
          assertThatThrownBy(() -> in("US").read(given)).isInstanceOf(UnreadablePhoneNumber.class);
        });
  }
}
