package org.habitline.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import org.habitline.participants.ChannelKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code config/prices.yaml} may say, and what is said about its mistakes. */
final class PricesFileTest {

  private static final String TWO =
      """
      currency: USD
      models:
        small:
          - {valid_from: 2026-01-01, input: 0.25, cached: 0.025, output: 2, source: "a page"}
          - {valid_from: 2026-07-01, input: 0.20, output: 1.5}
      messages:
        sms:
          - {valid_from: 2026-01-01, valid_until: 2026-06-30, segment: 0.0083}
        whatsapp:
          - {valid_from: 2026-01-01, message: 0.005}
      """;

  @TempDir Path home;

  private Budgets read(String prices) throws IOException {
    Files.createDirectories(home.resolve("config"));
    Files.writeString(home.resolve("config/prices.yaml"), prices);
    return StudyFile.read(home).budgets();
  }

  private static LocalDate day(String day) {
    return LocalDate.parse(day);
  }

  @Test
  void aPriceAppliesFromItsFirstDayOn() throws IOException {
    var budgets = read(TWO);
    var prices = budgets.prices().orElseThrow();
    assertThat(prices.ofModel("small", day("2025-12-31"))).isEmpty();
    assertThat(prices.ofModel("small", day("2026-06-30")).orElseThrow().of(1000, 400, 100))
        .isEqualByComparingTo("0.00036");
    assertThat(prices.ofModel("small", day("2026-07-01")).orElseThrow().input())
        .isEqualByComparingTo("0.20");
    assertThat(prices.ofModel("other", day("2026-07-01"))).isEmpty();
    assertThat(prices.ofMessage(ChannelKind.SMS, day("2026-06-30")).orElseThrow().price())
        .isEqualTo(new BigDecimal("0.0083"));
    assertThat(prices.ofMessage(ChannelKind.SMS, day("2026-07-01"))).isEmpty();
    assertThat(budgets.ofMessage(ChannelKind.WHATSAPP, 3, day("2026-07-01"))).isEqualTo(5000);
    assertThat(budgets.ofMessage(ChannelKind.SMS, 3, day("2026-06-01"))).isEqualTo(24_900);
    assertThat(budgets.sentences())
        .contains(
            "Prices in USD: a segment by SMS 0.0083 from 2026-01-01 until 2026-06-30; a message by"
                + " WhatsApp 0.005 from 2026-01-01; a million tokens of small 0.25 read (0.025 if"
                + " cached) and 2 written from 2026-01-01; a million tokens of small 0.20 read and"
                + " 1.5 written from 2026-07-01.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {valid_from: 2026-01-01, input: 1, output: 1}, {valid_from: 2026-01-01, input: 2, output: 2} | models.m[1]: two prices apply from 2026-01-01; expected valid_from later than 2026-01-01
          {valid_from: 2026-01-01, valid_until: 2026-01-31, input: 1, output: 1}, {valid_from: 2026-03-01, input: 2, output: 2} | models.m[1]: no price applies from 2026-02-01 to 2026-02-28; expected valid_from 2026-02-01
          {valid_from: 2026-01-01, valid_until: 2026-03-31, input: 1, output: 1}, {valid_from: 2026-03-01, input: 2, output: 2} | models.m[1]: two prices apply from 2026-03-01 to 2026-03-31; expected valid_from 2026-04-01
          {input: 1, output: 1}                                      | models.m[0].valid_from: missing; expected the first day of the price
          {valid_from: soon, input: 1, output: 1}                    | models.m[0].valid_from: expected a day such as 2026-01-31, found 'soon'
          {valid_from: 2026-01-02, valid_until: 2026-01-01, input: 1, output: 1} | models.m[0].valid_until: expected 2026-01-02 or a later day
          {valid_from: 2026-01-01, input: 1}                         | models.m[0].output: missing; expected the price of a million tokens
          {valid_from: 2026-01-01, in: 1, output: 1}                 | models.m[0].in: unknown key
          """)
  void everyMistakeNamesItsLineAndWhatIsAccepted(String prices, String sentence) {
    assertThatThrownBy(() -> read("currency: USD\nmodels:\n  m: [" + prices + "]\n"))
        .hasMessageContaining("config/prices.yaml: " + sentence)
        .hasMessageContaining("(line 3)");
  }

  @Test
  void aMessageHasOnePrice() {
    assertThatThrownBy(() ->
            read(
                "currency: USD\nmessages: {sms: [{valid_from: 2026-01-01, segment: 1, message: 1}]}"))
        .hasMessageContaining("messages.sms[0].segment: expected either segment");
  }

  @Test
  void aCurrencyIsNeededAndPricesHaveAtMostNineDecimals() {
    assertThatThrownBy(() -> read("models: {m: [{valid_from: 2026-01-01, input: 1, output: 1}]}"))
        .hasMessageContaining("config/prices.yaml: currency: missing");
    assertThatThrownBy(() -> read("currency: euro\n"))
        .hasMessageContaining(
            "currency: expected a currency's code such as USD or EUR, found 'euro'");
    assertThatThrownBy(() ->
            read(
                "currency: USD\nmessages: {sms: [{valid_from: 2026-01-01, segment: 0.00000000012}]}"))
        .hasMessageContaining(
            "segment: expected a number from 0 to 2000000000 with at most 9 decimals");
  }
}
