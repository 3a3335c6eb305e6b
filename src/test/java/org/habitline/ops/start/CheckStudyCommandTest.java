package org.habitline.ops.start;

import static org.assertj.core.api.Assertions.assertThat;

import io.micronaut.core.value.MapPropertyResolver;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command as somebody types it. */
final class CheckStudyCommandTest {

  @TempDir Path home;

  private final Map<String, Object> settings = new HashMap<>();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(String... arguments) {
    return CheckStudyCommand.run(
        List.of(arguments),
        home,
        new MapPropertyResolver(settings),
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private void study(String yaml) throws IOException {
    Files.createDirectories(home.resolve("config"));
    Files.writeString(home.resolve("config/study.yaml"), yaml);
  }

  private static final String ALERTS =
      """
      safety:
        time_zone: UTC
        email: {host: mail.example.org, from: line@example.org}
        rota:
          - on call: {email: on-call@example.org%s}
      """;

  @Test
  void aStudyThatAlertsSomebodyAtAnyTimeEndsWithZero() throws IOException {
    study(ALERTS.formatted(""));
    assertThat(run()).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains(
            "Without safety.second_opinion the rules decide alone.",
            "a crisis alerts these people by e-mail",
            "on call (e-mail)",
            "within 15 minutes",
            "Budget of a participant and day: 1,000,000 tokens (built in), 100 segments (built in).",
            "Budget of the study and day (UTC): 50,000,000 tokens (built in)",
            "Numbers of all countries can be texted.",
            "say no time at which a person reads messages.",
            "Alerts go by e-mail only. Real channels stay off",
            "HABITLINE_PUBLIC_URL is not set, so alerts hold no link to the incident.");
  }

  @Test
  void aStudyWithTwoMethodsAndCoverageIsToldOfTheTestAlert() throws IOException {
    settings.put("habitline.public-url", "https://line.example.org");
    study(
        ALERTS.formatted(", phone: \"+12065550100\"")
            + "  coverage: {days: [mon], hours: \"09:00-17:00\"}\n");
    assertThat(run()).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains(
            "by e-mail and SMS, in this order",
            "on call (e-mail, SMS)",
            "say when a person reads messages",
            "until a test alert is acknowledged")
        .doesNotContain("no time", "only", "HABITLINE_PUBLIC_URL");
  }

  @Test
  void gatesThatAreOffAreListed() throws IOException {
    study(ALERTS.formatted("") + "gates: {claims: off, contacts: off}\n");
    assertThat(run()).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .containsPattern("gates +on, but for contacts, claims:");
  }

  @Test
  void whatIsMissingIsAWarningAndWhatIsWrongEndsWithOne() throws IOException {
    assertThat(run()).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("Warnings", "has no section safety: no one is alerted of a crisis");
    study(ALERTS.formatted(", days: [mon]"));
    assertThat(run()).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("on duty on Tuesday at 00:00");
    study("safety: {}\n");
    assertThat(run()).isEqualTo(1);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("config/study.yaml: safety.rota");
  }

  @Test
  void argumentsAreRefused() {
    assertThat(run("--all")).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("check-study --help");
  }

  @Test
  void helpSaysWhatTheExitCodesMean() {
    for (var asked : List.of("--help", "-h")) {
      out.reset();
      assertThat(run(asked)).isZero();
      assertThat(out.toString(StandardCharsets.UTF_8))
          .contains("Usage: check-study", "The exit code is 0");
    }
  }

  @Test
  void everyPartThatAppliesIsListed() throws IOException {
    study(
        ALERTS.formatted(", phone: \"+12065550100\"")
            + """
              clinician: {name: Dr. Example}
              retention: 90
              second_opinion: {by: model, model: gpt-5-mini, timeout: 7}
            budgets:
              participant: {tokens: 300000, segments: off}
            consent: {min_age: 16}
            contact: {name: Ana Ruiz, email: ana@example.org}
            gates: {language: off}
            coding: {share: 0.25}
            fields:
              - {name: site, label: Clinic, type: choice, choices: [north, south], required: true}
            monitoring: {silent_after_days: 5}
            retention: {transcripts: 365, audit: never}
            target: {participants: 40}
            """);
    assertThat(run()).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .containsPattern("safety.rota +a crisis alerts .*: on call \\(e-mail, SMS\\)\\.")
        .containsPattern("safety.clinician +Dr. Example")
        .containsPattern("safety.retention +the words of an incident are removed 90 days")
        .containsPattern("safety.second_opinion +by model \\(gpt-5-mini\\); .* 7 s at most")
        .containsPattern("consent +Habitline asks no one")
        .containsPattern("consent.min_age +.* younger than 16")
        .containsPattern("contact +Ana Ruiz: ana@example.org")
        .containsPattern("budgets +Budget of a participant and day: 300,000 tokens\\.")
        .containsPattern("gates +on, but for language:")
        .containsPattern("coding +staff code a share of 0.25 of the daily prompts with a reply\\.")
        .containsPattern("fields +site \\(Clinic\\): one of north, south, needed at enrolment\\.")
        .containsPattern(
            "monitoring +a participant is silent after more than 5 days .* late after 15 minutes")
        .containsPattern("retention +transcripts: removed after 365 days\\.")
        .containsPattern("retention +audit: kept\\.")
        .containsPattern("retention +raw_posts: removed as the setting RAW_RETENTION says\\.")
        .containsPattern("target +40 participants\\.");
    out.reset();
    study("gates: {claims: on}\n");
    assertThat(run()).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .containsPattern("safety.second_opinion +off;")
        .containsPattern("safety.retention +the words of incidents are kept")
        .containsPattern("gates +all on")
        .containsPattern("fields +none of its own")
        .containsPattern("monitoring +a participant is silent after more than 3 days")
        .containsPattern("retention +transcripts: kept\\.")
        .containsPattern("target +the study names no number to enrol\\.");
  }

  @Test
  void whatTheConsentTextDoesNotMentionIsAHintAndNoMistake() throws IOException {
    study(
        ALERTS.formatted("")
            + "consent: {version: '1', text: An automated program writes to you.}\n"
            + "contact: {name: Ana Ruiz, email: ana@example.org}\n");
    assertThat(run()).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains(
            "people are asked for consent to version 1, after they said that they are at least 18.",
            "A hint, found by looking for words",
            "The consent text (en) does not mention that it is no emergency service.",
            "does not mention which other companies handle the messages.")
        .doesNotContain("does not mention that an AI writes", "names no contact");
  }
}
