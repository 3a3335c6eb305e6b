package org.habitline.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a study may say, and what is said about its mistakes. */
final class StudyFileTest {

  private static final String EMAIL = "  email: {host: mail.example.org, from: line@example.org}\n";

  @TempDir Path home;

  private StudyFile read(String yaml) throws IOException {
    Files.createDirectories(home.resolve("config"));
    Files.writeString(home.resolve("config/study.yaml"), yaml);
    return StudyFile.read(home);
  }

  private AlertPlan plan(String rota) throws IOException {
    return read("safety:\n  time_zone: Europe/Berlin\n" + EMAIL + "  rota:\n" + rota)
        .safety()
        .orElseThrow();
  }

  private static List<String> names(AlertPlan plan, String at) {
    return plan.onDuty(Instant.parse(at)).stream().map(AlertPlan.OnCall::name).toList();
  }

  @Test
  void aStudyNeedsNoFileAndNoSection() throws IOException {
    assertThat(StudyFile.read(home).safety()).isEmpty();
    assertThatThrownBy(() -> read("")).hasMessageContaining("config/study.yaml: the file is empty");
  }

  @Test
  void staffCodeATenthOfThePromptsUnlessTheFileSaysAnotherShare() throws IOException {
    assertThat(StudyFile.read(home).coding()).isEqualTo(new CodingPlan(0.1, "habitline"));
    assertThat(read("coding: {share: 0.25, seed: pilot}").coding())
        .isEqualTo(new CodingPlan(0.25, "pilot"));
    assertThatThrownBy(() -> read("coding:\n  share: 10%\n  seeds: a"))
        .hasMessageContaining("coding.share: expected a number from 0 to 1, found '10%' (line 2)")
        .hasMessageContaining("coding.seeds: unknown key; expected one of seed, share");
  }

  @Test
  void allGatesAreOnUnlessTheFileSwitchesThemOff() throws IOException {
    assertThat(StudyFile.read(home).gates().off()).isEmpty();
    assertThat(read("gates: {claims: off, contacts: on, language: off}").gates().off())
        .containsExactly(ReplyGate.CLAIMS, ReplyGate.LANGUAGE);
    assertThatThrownBy(() -> read("gates: {claims: no, links: off}"))
        .hasMessageContaining("gates.claims: expected on or off, found 'no' (line 1)")
        .hasMessageContaining(
            "gates.links: unknown key; expected one of claims, contacts, instructions, language,"
                + " medical");
    assertThatThrownBy(() -> read("gates:"))
        .hasMessageContaining("gates: expected keys with values, found nothing");
  }

  @Test
  void thoseOnDutyAreAlertedInTheOrderOfTheFile() throws IOException {
    var plan =
        plan(
            """
                - day: {email: day@example.org, days: [mon, tue, wed, thu, fri], hours: "08:00-20:00"}
                - night: {email: night@example.org, hours: "20:00-08:00"}
                - always: {email: always@example.org}
            """);
    assertThat(plan.escalateAfter()).hasMinutes(15);
    assertThat(plan.gap()).isEmpty();
    // Monday in Berlin, where it is an hour later than UTC.
    assertThat(names(plan, "2026-01-05T07:00:00Z")).containsExactly("day", "always");
    assertThat(names(plan, "2026-01-05T06:59:59Z")).containsExactly("night", "always");
    assertThat(names(plan, "2026-01-05T18:59:59Z")).containsExactly("day", "always");
    assertThat(names(plan, "2026-01-05T19:00:00Z")).containsExactly("night", "always");
    assertThat(names(plan, "2026-01-10T12:00:00Z")).containsExactly("always");
  }

  @Test
  void hoursThatPassMidnightBelongToTheDayOnWhichTheyBegin() throws IOException {
    var plan =
        plan(
            """
                - friday night: {email: a@example.org, days: [fri], hours: "22:00-02:00"}
                - rest: {email: b@example.org, days: [mon], hours: "00:00-24:00"}
            """);
    assertThat(names(plan, "2026-01-10T00:30:00Z")).containsExactly("friday night");
    assertThat(names(plan, "2026-01-05T00:30:00Z")).containsExactly("rest");
  }

  @Test
  void aGapIsNamedAndEverybodyIsAlertedThen() throws IOException {
    var plan =
        plan(
            """
                - weekdays: {email: a@example.org, days: [mon, tue, wed, thu, fri]}
                - saturday: {email: b@example.org, days: [sat], hours: "00:00-12:00"}
            """);
    assertThat(plan.gap().orElseThrow()).contains("on Saturday at 12:00");
    assertThat(names(plan, "2026-01-10T13:00:00Z")).containsExactly("weekdays", "saturday");
  }

  @Test
  void somebodyMayBeAlertedByOneMethodOnly() throws IOException {
    var plan =
        plan(
            """
                - by mail: {email: a@example.org}
                - by phone: {phone: "+1 (206) 555-0100"}
            """);
    assertThat(plan.rota().getLast().phone().orElseThrow().e164()).isEqualTo("+12065550100");
    assertThat(plan.methods()).containsExactly("e-mail", "SMS");
    assertThat(plan.lacksAMethod()).isEmpty();
    assertThat(plan("    - one: {email: a@example.org}\n").lacksAMethod().orElseThrow())
        .contains("Alerts go by e-mail only.");
    assertThatThrownBy(() ->
            read(
                "safety: {time_zone: UTC, rota: [one: {email: a@example.org, phone: \"+12065550100\"}]}\n"))
        .hasMessageContaining("safety.rota[0].email: expected the mail server in safety.email");
  }

  @Test
  void coverageAndClinicianAreRead() throws IOException {
    var safety =
        """
        safety:
          time_zone: Europe/Berlin
          coverage: {days: [fri, mon], hours: "09:00-17:00"}
          clinician: {name: Dr. Example, contact: "+49 30 5550100"}
          webhook: https://alerts.example.org
          rota: [on call]
        """;
    var plan = read(safety).safety().orElseThrow();
    assertThat(plan.clinician().orElseThrow())
        .isEqualTo(new AlertPlan.Clinician("Dr. Example", "+49 30 5550100"))
        .extracting(AlertPlan.Clinician::telephone)
        .isEqualTo(Optional.of("+49305550100"));
    assertThat(new AlertPlan.Clinician("Dr. Example", "pager 12-345678").telephone()).isEmpty();
    assertThat(new AlertPlan.Clinician("Dr. Example", "(030) 555-0100").telephone())
        .contains("0305550100");
    var coverage = plan.coverage().orElseThrow();
    var monday = java.time.LocalDateTime.parse("2026-01-05T12:00");
    assertThat(coverage.covers(monday)).isTrue();
    assertThat(coverage.changesAfter(monday)).contains(monday.withHour(17));
    assertThat(coverage.changesAfter(monday.withHour(17))).contains(monday.plusDays(4).withHour(9));
    // Mondays at 9 in Berlin, where it is an hour later than UTC.
    assertThat(plan.testDue(Instant.parse("2026-01-07T12:00:00Z")))
        .isEqualTo("2026-01-05T08:00:00Z");
    assertThat(plan.testDue(Instant.parse("2026-01-05T07:59:00Z")))
        .isEqualTo("2025-12-29T08:00:00Z");
    assertThatThrownBy(
            () -> read(safety.replace("09:00-17:00", "9-17").replace("name: Dr. Example, ", "")))
        .hasMessageContaining("safety.coverage.hours: expected hours such as")
        .hasMessageContaining("safety.clinician.name: missing");
  }

  @Test
  void everyMistakeNamesItsKeyAndItsLine() {
    assertThatThrownBy(() ->
            read(
                """
                safety:
                  time_zone: Berlin
                  escalate_after: 0
                  webhook: ftp://example.org/token-7
                  email: {host: mail.example.org, security: ssl, from: nobody}
                  rota:
                    - one: {days: [monday], hours: "8-20"}
                  pager: yes
                  second_opinion: {by: friend, timeout: 60, wait: 1}
                consents: {}
                """))
        .isInstanceOf(BrokenStudy.class)
        .hasMessageContaining("consents: unknown key")
        .hasMessageContaining("safety.pager: unknown key")
        .hasMessageContaining("safety.second_opinion.by: expected one of model, moderation")
        .hasMessageContaining("safety.second_opinion.timeout: expected a whole number from 1 to 30")
        .hasMessageContaining("safety.second_opinion.wait: unknown key")
        .hasMessageContaining("safety.time_zone: expected a time zone such as Europe/Berlin")
        .hasMessageContaining("safety.escalate_after: expected a whole number from 1 to 1440")
        .hasMessageContaining("safety.webhook: expected an address that begins with https://")
        .hasMessageContaining("safety.email.security: expected one of tls, starttls, none")
        .hasMessageContaining("safety.email.from: expected one e-mail address")
        .hasMessageContaining("safety.rota[0].days: expected days such as [mon")
        .hasMessageContaining("safety.rota[0].hours: expected hours such as \"08:00-20:00\"")
        .hasMessageContaining("(line 2)")
        .hasMessageNotContaining("token-7");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          safety                         | expected keys with values
          safety.email                   | expected keys with values
          safety.email.port              | expected a whole number from 1 to 65535
          safety.email.security          | expected a text
          safety.email.user              | expected a text
          safety.webhook                 | expected a text
          safety.escalate_after          | expected a whole number from 1 to 1440
          safety.coverage                | expected keys with values
          safety.coverage.days           | expected a list such as [a, b]
          safety.coverage.hours          | expected a text
          safety.clinician               | expected keys with values
          safety.clinician.contact       | expected a text
          safety.retention               | expected a whole number from 30 to 36500
          safety.second_opinion          | expected keys with values
          safety.second_opinion.model    | expected a text
          safety.second_opinion.timeout  | expected a whole number from 1 to 30
          budgets                        | expected keys with values
          budgets.time_zone              | expected a text
          budgets.participant            | expected keys with values
          budgets.participant.tokens     | expected off or a whole number from 1 to 2000000000
          budgets.participant.cost       | expected off or a number from 0.000001 to 2000000000
          budgets.study                  | expected keys with values
          budgets.study.segments         | expected off or a whole number from 1 to 2000000000
          budgets.countries              | expected a list such as [a, b]
          consent                        | expected keys with values
          consent.version                | expected a text
          consent.language               | expected a text
          consent.yes                    | expected a list such as [a, b]
          consent.no                     | expected a list such as [a, b]
          consent.questions              | expected keys with values
          consent.min_age                | expected a whole number from 0 to 99
          contact                        | expected keys with values
          contact.phone                  | expected a text
          contact.email                  | expected a text
          gates                          | expected keys with values
          gates.contacts                 | expected on or off
          gates.medical                  | expected on or off
          gates.instructions             | expected on or off
          gates.claims                   | expected on or off
          gates.language                 | expected on or off
          model_snapshots                | expected a list such as [a, b]
          """)
  void aKeyWithoutAValueIsAMistakeAndNotOffInSilence(String key, String expected) {
    var yaml = new StringBuilder("# A study.\n");
    var keys = key.split("\\.", -1);
    for (int depth = 0; depth < keys.length; depth++) {
      yaml.append("  ".repeat(depth)).append(keys[depth]).append(":\n");
    }
    assertThatThrownBy(() -> read(yaml.toString()))
        .isInstanceOf(BrokenStudy.class)
        .hasMessageContaining(
            "config/study.yaml: %s: %s, found nothing; to do without it, remove the line (line %d)"
                .formatted(key, expected, keys.length + 1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "safety.time_zone",
        "safety.rota",
        "safety.email.host",
        "safety.email.from",
        "safety.clinician.name",
        "safety.second_opinion.by",
        "consent.text",
        "consent.questions.en",
        "contact.name"
      })
  void whatIsNeededIsMissingWithoutAValue(String key) {
    var keys = key.split("\\.", -1);
    var yaml = new StringBuilder();
    for (int depth = 0; depth < keys.length; depth++) {
      yaml.append("  ".repeat(depth)).append(keys[depth]).append(":\n");
    }
    assertThatThrownBy(() -> read(yaml.toString()))
        .hasMessageContaining("config/study.yaml: " + key + ": missing; expected ")
        .hasMessageContaining("(line " + keys.length + ")");
  }

  @Test
  void aMistakeIsOnTheLineOfItsKeyAlsoIfTheValueBeginsBelow() {
    assertThatThrownBy(() ->
            read(
                """
                consents:

                  # How we ask.
                  version: "1"
                safety:
                  time_zone: UTC
                  webhook: https://alerts.example.org
                  pagers:
                    - one
                  rota:
                    on call
                  clinician:
                    contact: "+49 30 5550100"
                contact:
                  name: Ana
                """))
        .hasMessageContaining(
            "consents: unknown key; expected one of budgets, coding, consent, contact, fields, gates,"
                + " model_policy, model_snapshots, monitoring, retention, safety, target (line 1)")
        .hasMessageContaining("safety.pagers: unknown key;")
        .hasMessageContaining("time_zone, webhook (line 8)")
        .hasMessageContaining(
            "safety.rota: expected a list such as [a, b], found 'on call' (line 10)")
        .hasMessageContaining("safety.clinician.name: missing; expected a text (line 12)")
        .hasMessageContaining("contact: expected phone, email or both (line 14)");
  }

  @Test
  void whatCouldNeverBeUsedIsRefused() {
    assertThatThrownBy(() -> read("safety:\n")).hasMessageContaining("safety: expected keys");
    for (var person :
        List.of(
            "{email: jürgen@example.org}",
            "{email: a..b@example.org}",
            "{email: a@example.org, days: []}",
            "{phone: 2065550100}",
            "{phone: \"+1 206 call\"}",
            "{email: a@example.org, hours: \"08:00-12:00-18:00\"}")) {
      assertThatThrownBy(() -> plan("    - one: " + person + "\n"))
          .hasMessageContaining("safety.rota[0].");
    }
  }

  @Test
  void aRotaWithNobodyOrWithoutARoadIsRefused() {
    assertThatThrownBy(() -> read("safety: {time_zone: UTC, rota: []}\n"))
        .hasMessageContaining("safety.rota: expected at least one person");
    assertThatThrownBy(() -> read("safety: {time_zone: UTC, rota: [one]}\n"))
        .hasMessageContaining("safety.rota[0]: expected phone");
    assertThatThrownBy(() -> plan("    - one: {days: [mon]}\n"))
        .hasMessageContaining("safety.rota[0]: expected email, phone or both");
  }

  @Test
  void theReplyOfAnotherModelIsReportedUnlessTheStudyRefusesIt() throws IOException {
    var usual = read("contact: {name: Sam, email: sam@example.org}\n").models();
    assertThat(usual.action()).isEqualTo(ModelPolicy.Action.REPORT);
    assertThat(usual.allows("gpt-5", "gpt-5")).isTrue();
    assertThat(usual.allows("gpt-5", "gpt-5-2025-08-07")).isTrue();
    assertThat(usual.allows("gpt-5", null)).isTrue();
    assertThat(usual.allows("gpt-5", "gpt-5-mini")).isFalse();
    assertThat(usual.allows("gpt-5", "gpt-5-mini-2025-08-07")).isFalse();
    var strict = read("model_policy: refuse\nmodel_snapshots: [gpt-4-0613]\n").models();
    assertThat(strict.action()).isEqualTo(ModelPolicy.Action.REFUSE);
    assertThat(strict.allows("gpt-4", "gpt-4-0613")).isTrue();
    assertThat(strict.sentence())
        .isEqualTo(
            "The reply of another model than the one asked is refused; these names may come back:"
                + " gpt-4-0613.");
    assertThatThrownBy(() -> read("model_policy: ignore\n"))
        .hasMessageContaining("model_policy: expected report or refuse, found 'ignore' (line 1)");
  }

  @Test
  void theTargetGrowsEvenlyOverItsDays() throws IOException {
    assertThat(read("monitoring: {late_after_minutes: 5}\n").target()).isEmpty();
    var target =
        read("target: {participants: 40, from: 2026-11-01, by: 2026-11-10}\n")
            .target()
            .orElseThrow();
    assertThat(target.sentence()).isEqualTo("40 participants from 2026-11-01 to 2026-11-10.");
    assertThat(target.planned(LocalDate.parse("2026-10-31"))).isZero();
    assertThat(target.planned(LocalDate.parse("2026-11-01"))).isEqualTo(4);
    assertThat(target.planned(LocalDate.parse("2026-11-05"))).isEqualTo(20);
    assertThat(target.planned(LocalDate.parse("2026-12-01"))).isEqualTo(40);
    assertThat(
            read("target: {participants: 40}\n")
                .target()
                .orElseThrow()
                .planned(LocalDate.parse("2026-10-31")))
        .isEqualTo(40);
    assertThatThrownBy(() -> read("target: {from: 2026-11-01}\n"))
        .hasMessageContaining("target.participants: missing; expected the number")
        .hasMessageContaining("target.by: missing; expected the first and the last day");
    assertThatThrownBy(() -> read("target: {participants: 0, from: 2026-11-02, by: 2026-11-01}\n"))
        .hasMessageContaining("target.participants: expected a whole number from 1")
        .hasMessageContaining("target.by: expected a day after from");
  }
}
