package org.habitline.participants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PhoneNumbersTest {

  private final PhoneNumbers american = new PhoneNumbers(new PhoneSettings("US"));

  @Test
  void theDocumentedExampleIsAcceptedWithAWarning() {
    var read = american.read("+1234567890");
    assertThat(read.number().e164()).isEqualTo("+1234567890");
    assertThat(read.warnings()).singleElement().asString().contains("not a valid number");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "US | (415) 555-2671      | +14155552671",
        "US | 415.555.2671        | +14155552671",
        "US | 1 415 555 2671      | +14155552671",
        "US | +1 (415) 555-2671   | +14155552671",
        "US | ＋１４１５５５５２６７１  | +14155552671",
        "DE | 0151 23456789       | +4915123456789",
        "DE | 0049 151 23456789   | +4915123456789",
        "US | 0049 151 23456789   | +4915123456789",
        "GB | +44 (0)20 7946 0018 | +442079460018",
      })
  void aNumberIsReadAsPeopleWriteIt(String region, String written, String e164) {
    assertThat(new PhoneNumbers(new PhoneSettings(region)).read(written).number().e164())
        .isEqualTo(e164);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "US | +49 151 23456789    | +4915123456789",
        "US | 4915123456789       | +4915123456789",
        "US | 49 (151) 234-56789  | +4915123456789",
        "US | 14155552671         | +14155552671",
        "US | 4155552671          | +14155552671",
        "US | (555) 123-4567      | +15551234567",
        "US | 442079460018        | +442079460018",
        "US | 0049 151 23456789   | +4915123456789",
        "DE | 001 415 5552671     | +14155552671",
        "DE | 0151 23456789       | +4915123456789",
        "DE | 4915123456789       | +4915123456789",
        "DE | 14155552671         | +14155552671",
      })
  void aScriptMayLeaveThePlusSignOut(String region, String written, String e164) {
    var numbers = new PhoneNumbers(new PhoneSettings(region));
    assertThat(numbers.readWithoutPlus(written).number().e164()).isEqualTo(e164);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "call me", "12345", "1234567890123456", "+1+415", "whatsapp:+14155552671"})
  void withoutAPlusSignNothingElseIsANumber(String written) {
    assertThatThrownBy(() -> american.readWithoutPlus(written))
        .isInstanceOf(UnreadablePhoneNumber.class);
  }

  @Test
  void aZeroAfterTheCountryCodeIsKeptButWarnedAbout() {
    var read = american.read("+4402079460018");
    assertThat(read.number().e164()).isEqualTo("+4402079460018");
    assertThat(read.warnings()).singleElement().asString().contains("may be mistyped");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "   ",
        "+",
        "call me",
        "12345",
        "555-2671",
        "491709998877",
        "0175 1234567",
        "1-800-FLOWERS",
        "415 555 2671 ext. 12",
        "tel:+14155552671;ext=3",
        "whatsapp:+14155552671",
        "+1+415+5552671",
        "+1234567",
        "+1234567890123456",
        "415 555 2671, 415 555 2672"
      })
  void whatIsNoNumberToTextToIsRefused(String written) {
    assertThatThrownBy(() -> american.read(written))
        .isInstanceOf(UnreadablePhoneNumber.class)
        .hasMessage(
            "phone_number: not a phone number; enter it like +1 555 010 0142, or as a national number (US) with its area code.");
  }
}
