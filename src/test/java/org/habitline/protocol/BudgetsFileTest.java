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

  private void prices(String yaml) throws IOException {
    Files.createDirectories(home.resolve("config"));
    Files.writeString(home.resolve("config/prices.yaml"), yaml);
  }

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
    prices(
        """
        currency: EUR
        models:
          gpt-4o-mini: [{valid_from: 2026-01-01, input: 0.15, output: 0.60}]
          vendor/large.1: [{valid_from: 2026-01-01, input: 5, output: 20}]
        messages:
          sms: [{valid_from: 2026-01-01, segment: 0.0079}]
        """);
    var budgets =
        read(
            """
            budgets:
              time_zone: Europe/Madrid
              participant: {tokens: off, cost: 2.5, segments: 10}
              study: {segments: off}
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
        .contains(
            "no price for other", "other: [{valid_from: 2026-01-01, input: 0.15, output: 0.60}]");
    assertThat(budgets.sentences())
        .containsExactly(
            "Budget of a participant and day: 2.50 EUR, 10 segments.",
            "Budget of the study and day (Europe/Madrid): 50,000,000 tokens (built in).",
            "Numbers of these countries can be texted: ES, NO.",
            "Prices in EUR: a segment by SMS 0.0079 from 2026-01-01; a million tokens of gpt-4o-mini"
                + " 0.15 read and 0.60 written from 2026-01-01; a million tokens of vendor/large.1 5"
                + " read and 20 written from 2026-01-01.");
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
          budgets: {token: 5}                               | budgets.token: unknown key; expected one of countries, participant, study, time_zone
          budgets: {participant: {tokens: 0}}               | budgets.participant.tokens: expected off or a whole number from 1 to 2000000000, found '0'
          budgets: {participant: {tokens: 1.5}}             | budgets.participant.tokens: expected off or a whole number from 1 to 2000000000, found '1.5'
          budgets: {participant: {tokens: -5}}              | budgets.participant.tokens: expected off or a whole number from 1 to 2000000000, found '-5'
          budgets: {study: {cost: 0}}                       | budgets.study.cost: expected off or a number from 0.000001 to 2000000000, found '0'
          budgets: {study: {cost: 0.0000015}}               | budgets.study.cost: expected off or a number from 0.000001 to 2000000000 with at most 6 decimals, found '0.0000015'
          budgets: {participant: {tokens: many}}            | budgets.participant.tokens: expected off or a whole number from 1 to 2000000000, found 'many'
          budgets: {study: {segments: -1}}                  | budgets.study.segments: expected off or a whole number from 1 to 2000000000, found '-1'
          budgets: {study: {cost: 1}}                       | budgets: a limit of cost needs prices; expected the file config/prices.yaml
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
