package org.habitline.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import org.habitline.participants.ChannelKind;
import org.habitline.protocol.Budgets.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a study may say about its budgets, and what is said about its mistakes. */
final class BudgetsFileTest {

  private static final LocalDate DAY = LocalDate.of(2026, 7, 1);

  @TempDir Path home;

  private Budgets read(String yaml) throws IOException {
    Files.createDirectories(home.resolve("config"));
    Files.writeString(home.resolve("config/study.yaml"), yaml);
    return StudyFile.read(home).budgets();
  }

  @Test
  void aStudyThatSaysNothingHasLimitsThatAnOrdinaryOneNeverReaches() throws IOException {
    for (var budgets :
        List.of(StudyFile.read(home).budgets(), read("budgets: {countries: [US]}\n"))) {
      assertThat(budgets.participant().of(Kind.TOKENS).orElseThrow())
          .isEqualTo(new Budgets.Limit(1_000_000, true));
      assertThat(budgets.participant().of(Kind.SEGMENTS)).isPresent();
      assertThat(budgets.study().of(Kind.TOKENS)).isPresent();
      assertThat(budgets.study().of(Kind.SEGMENTS)).isPresent();
      assertThat(budgets.study().of(Kind.COST)).isEmpty();
      assertThat(budgets.zone().getId()).isEqualTo("UTC");
    }
  }

  @Test
  void limitsAreSetAndSwitchedOffOneByOne() throws IOException {
    var budgets =
        read(
            """
            budgets:
              time_zone: Europe/Madrid
              participant: {tokens: off, cost: 2.5, segments: 10}
              study: {segments: off}
              prices:
                currency: EUR
                segment: 0.0079
                models:
                  gpt-4o-mini: {input: 0.15, output: 0.60}
                  vendor/large.1: {input: 5, output: 20}
              countries: [ES, "NO"]
            """);
    assertThat(budgets.zone().getId()).isEqualTo("Europe/Madrid");
    assertThat(budgets.participant().of(Kind.TOKENS)).isEmpty();
    assertThat(budgets.participant().of(Kind.COST)).contains(new Budgets.Limit(2_500_000, false));
    assertThat(budgets.participant().of(Kind.SEGMENTS)).contains(new Budgets.Limit(10, false));
    assertThat(budgets.study().of(Kind.SEGMENTS)).isEmpty();
    assertThat(budgets.study().of(Kind.TOKENS)).isPresent();
    assertThat(budgets.countries()).containsExactly("ES", "NO");
    assertThat(budgets.ofTokens("gpt-4o-mini", 1000, 100, DAY)).isEqualTo(210);
    assertThat(budgets.ofTokens("vendor/large.1", 1000, 100, DAY)).isEqualTo(7000);
    assertThat(budgets.ofTokens("unknown", 1000, 100, DAY)).isEqualTo(7000);
    assertThat(budgets.ofMessage(ChannelKind.SMS, 2, DAY)).isEqualTo(15_800);
    assertThat(budgets.ofMessage(ChannelKind.WHATSAPP, 1, DAY)).isEqualTo(7_900);
    assertThat(budgets.modelsWithoutPrice(List.of("gpt-4o-mini"))).isEmpty();
    assertThat(budgets.modelsWithoutPrice(List.of("other")).orElseThrow())
        .contains("no price for other", "other: {input: 0.15, output: 0.60}");
    assertThat(budgets.sentences())
        .containsExactly(
            "Budget of a participant and day: 2.50 EUR, 10 segments.",
            "Budget of the study and day (Europe/Madrid): 50,000,000 tokens (built in).",
            "Numbers of these countries can be texted: ES, NO.",
            "Prices in EUR: a segment 0.0079; a million tokens of gpt-4o-mini 0.15 read and 0.60"
                + " written; a million tokens of vendor/large.1 5 read and 20 written.");
  }

  @Test
  void theStudysDayIsInTheZoneOfItsRota() throws IOException {
    assertThat(
            read("""
            safety:
              time_zone: Europe/Berlin
              retention: 3650
              email: {host: mail.example.org, from: line@example.org}
              rota: [nurse: {email: nurse@example.org}]
            """)
                .zone()
                .getId())
        .isEqualTo("Europe/Berlin");
    assertThat(StudyFile.read(home).incidents()).contains(new IncidentRetention(3650));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          budgets:                                          | budgets: expected keys with values, found nothing
          budgets: {token: 5}                               | budgets.token: unknown key; expected one of countries, participant, prices, study, time_zone
          budgets: {participant: {tokens: 0}}               | budgets.participant.tokens: expected off or a whole number from 1 to 2000000000, found '0'
          budgets: {participant: {tokens: 1.5}}             | budgets.participant.tokens: expected off or a whole number from 1 to 2000000000, found '1.5'
          budgets: {participant: {tokens: -5}}              | budgets.participant.tokens: expected off or a whole number from 1 to 2000000000, found '-5'
          budgets: {study: {cost: 0}}                       | budgets.study.cost: expected off or a number from 0.000001 to 2000000000, found '0'
          budgets: {study: {cost: 0.0000015}}               | budgets.study.cost: expected off or a number from 0.000001 to 2000000000 with at most 6 decimals, found '0.0000015'
          budgets: {prices: {currency: USD, segment: 0.00000000012}} | budgets.prices.segment: expected a number from 0 to 2000000000 with at most 9 decimals, found '0.00000000012'
          budgets: {participant: {tokens: many}}            | budgets.participant.tokens: expected off or a whole number from 1 to 2000000000, found 'many'
          budgets: {study: {segments: -1}}                  | budgets.study.segments: expected off or a whole number from 1 to 2000000000, found '-1'
          budgets: {study: {cost: 1}}                       | budgets.prices: missing; a limit of cost needs prices
          budgets: {study: {cost: 1}, prices: {currency: USD}} | budgets.prices.segment: missing; a limit of cost needs the price of one segment
          budgets: {prices: {currency: euro}}               | budgets.prices.currency: expected a currency's code such as USD or EUR, found 'euro'
          budgets: {prices: {currency: USD, models: {a: {input: 1}}}} | budgets.prices.models.a.output: missing; expected the price of a million tokens
          budgets: {countries: []}                          | budgets.countries: expected at least one country
          budgets: {countries: [USA]}                       | budgets.countries[0]: expected a country's two letters (ISO 3166) such as US, GB or ES, found 'USA'
          budgets: {countries: [NO]}                        | if you mean this text, put it in quotes
          budgets: {time_zone: Mars}                        | budgets.time_zone: expected a time zone such as Europe/Berlin, found 'Mars'
          """)
  void everyMistakeNamesItsKeyAndWhatIsAccepted(String yaml, String sentence) {
    assertThatThrownBy(() -> read(yaml + "\n")).hasMessageContaining(sentence);
  }

  @Test
  void aRetentionIsAtLeastAMonth() {
    assertThatThrownBy(
            () -> read("safety:\n  retention: 3\n  webhook: https://a.example.org\n  rota: [a]\n"))
        .hasMessageContaining(
            "safety.retention: expected a whole number from 30 to 36500, found '3'");
  }
}
