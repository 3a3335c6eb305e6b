package org.habitline.rehearsal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.TimeZone;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.outbox.CoachingPause;
import org.habitline.timers.AllowedHours;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Whole studies on a virtual clock: every day has its prompt, whatever the clocks do. Each build
 * plays 14 days over the hour that is left out in spring; the long tests play the others.
 */
@ExtendWith(LoudAgain.class)
@Order(1)
@ResourceLock(Resources.SYSTEM_ERR) // A rehearsal sets the log of the process up anew.
final class ProtocolRehearsalTest {

  private static final Path HERE = Path.of("").toAbsolutePath();
  private static final ZoneId NEW_YORK = ZoneId.of("America/New_York");

  @BeforeAll
  static void asTheProgramDoes() {
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
  }

  private static ProtocolRehearsal.Played play(Plan plan) {
    try (var line = RehearsalService.open(plan, HERE, false)) {
      var played = line.rehearsal().play(plan);
      // For the record of the build: what was played, and how long it took.
      played.report().print(System.out);
      return played;
    }
  }

  private static Plan plan(int participants, int days, String from, String zone, String prompts) {
    return plan(participants, days, from, zone, prompts, null);
  }

  private static Plan plan(
      int participants,
      int days,
      String from,
      String zone,
      String prompts,
      @Nullable String movesTo) {
    return new Plan(
        participants,
        days,
        LocalDate.parse(from),
        ZoneId.of(zone),
        AllowedHours.WHOLE_DAY,
        AllowedHours.read(prompts).orElseThrow(),
        movesTo == null ? null : ZoneId.of(movesTo),
        1);
  }

  private static List<Instant> prompts(
      ProtocolRehearsal.Played played, LocalDate date, ZoneId zone) {
    return played.evidence().phones().stream()
        .filter(it -> played.words().prompt(it.body(), it.kind()))
        .map(JdbcEvidence.PhoneText::arrivedAt)
        .filter(it -> it.atZone(zone).toLocalDate().equals(date))
        .toList();
  }

  private static void wentWell(ProtocolRehearsal.Played played) {
    var report = played.report();
    var plan = played.plan();
    assertThat(report.anomalies()).isEmpty();
    assertThat(report.missed() + report.refused()).isZero();
    assertThat(report.checked()).as("what no gate should block").containsOnlyKeys("pass");
    // Some said STOP and stayed away; there are no others.
    assertThat(report.sent()).isGreaterThan(plan.participants() * (plan.days() - 1L) * 7 / 10);
    assertThat(report.reminders()).isGreaterThan(report.sent() / 10);
    assertThat(report.answered()).isGreaterThan(report.sent() / 2);
  }

  @Test
  void whereTheClockIsPutForwardPromptsInsideTheGapComeAnHourLater() {
    whereTheClockIsPutForwardPromptsInsideTheGapComeAnHourLater(12, 14);
  }

  private static void whereTheClockIsPutForwardPromptsInsideTheGapComeAnHourLater(
      int participants, int days) {
    var forward = LocalDate.parse("2026-03-08");
    var from = forward.minusDays(days / 2).toString();
    var played = play(plan(participants, days, from, NEW_YORK.getId(), "02:00-03:00"));
    wentWell(played);
    assertThat(prompts(played, forward, NEW_YORK))
        .hasSizeGreaterThanOrEqualTo(participants * 7 / 10)
        .allSatisfy(it ->
            assertThat(it.atZone(NEW_YORK).toLocalTime())
                .isBetween(LocalTime.of(3, 0), LocalTime.of(3, 59)));
  }

  private static void whereTheClockIsPutBackPromptsInsideTheOverlapComeTheFirstTime(
      int participants, int days) {
    var back = LocalDate.parse("2026-11-01");
    var from = back.minusDays(days / 2).toString();
    var played = play(plan(participants, days, from, NEW_YORK.getId(), "01:00-02:00"));
    wentWell(played);
    assertThat(prompts(played, back, NEW_YORK))
        .hasSizeGreaterThanOrEqualTo(participants * 7 / 10)
        .allSatisfy(
            it -> assertThat(it.atZone(NEW_YORK).getOffset()).isEqualTo(ZoneOffset.ofHours(-4)));
  }

  @Test
  @Tag("endurance")
  void wholeStudiesGoOnWhenTheClockIsPutForwardAndBack() {
    whereTheClockIsPutForwardPromptsInsideTheGapComeAnHourLater(50, 28);
    whereTheClockIsPutBackPromptsInsideTheOverlapComeTheFirstTime(50, 28);
  }

  @ParameterizedTest
  @Tag("endurance")
  @CsvSource({
    "2026-03-25, Asia/Kolkata, 08:00-21:00",
    "2026-03-06, America/Phoenix, 01:00-03:00",
    "2026-04-02, Australia/Lord_Howe, 01:00-03:00",
    "2026-10-01, Australia/Lord_Howe, 01:00-03:00",
    // There the hour before midnight is left out.
    "2026-03-25, America/Nuuk, 22:00-24:00",
  })
  void everyDayHasItsPrompt(String from, String zone, String prompts) {
    wentWell(play(plan(10, 6, from, zone, prompts)));
  }

  @ParameterizedTest
  @Tag("endurance")
  @CsvSource({
    "America/New_York, Europe/London",
    "Europe/Berlin, America/Los_Angeles",
    "Pacific/Auckland, Pacific/Honolulu",
  })
  void whoeverMovesKeepsTheirTimeThere(String from, String to) {
    var played = play(plan(10, 9, "2026-03-03", from, "08:00-21:00", to));
    assertThat(played.report().anomalies()).isEmpty();
    assertThat(played.diaries().values().stream().map(Diary::zone))
        .filteredOn(ZoneId.of(to)::equals)
        .hasSizeGreaterThan(6);
  }

  @Test
  void theSameSeedGivesTheSameReport() {
    var plan = plan(8, 7, "2026-03-05", NEW_YORK.getId(), "00:00-24:00", "Europe/London");
    var one = play(plan);
    var other = play(plan);
    assertThat(one.report().untimed()).isEqualTo(other.report().untimed());
    assertThat(prompted(one)).isEqualTo(prompted(other));
  }

  /** A study that asks for consent and has people on duty at any hour. */
  private static final String STUDY =
      """
      safety:
        time_zone: America/New_York
        email: {host: 127.0.0.1, from: line@example.org}
        rota:
          - nurse: {email: nurse@example.org, hours: "08:00-18:00"}
          - on call: {email: call@example.org, hours: "18:00-08:00"}
      consent:
        version: "1"
        text: An automated coach writes to you. Do you want to take part?
      """;

  private static ProtocolRehearsal.Played playWeek(Path home) throws IOException {
    Files.createDirectories(home.resolve("config"));
    Files.writeString(home.resolve("config").resolve("study.yaml"), STUDY);
    var plan =
        new Plan(
            2,
            7,
            LocalDate.parse("2026-03-02"),
            NEW_YORK,
            AllowedHours.read("08:00-21:00").orElseThrow(),
            AllowedHours.read("08:00-21:00").orElseThrow(),
            null,
            null,
            1,
            true);
    try (var line = RehearsalService.open(plan, home, false)) {
      var played = line.rehearsal().play(plan);
      played.report().print(System.out);
      return played;
    }
  }

  private static List<String> happened(ProtocolReport report, String episode) {
    return report.episodes().stream()
        .filter(it -> it.episode().equals(episode))
        .flatMap(it -> it.happened().stream())
        .map(EpisodeReport.Happening::what)
        .toList();
  }

  @Test
  void aWeekWithCrisesIsReportedEpisodeByEpisode(@TempDir Path home) throws IOException {
    var played = playWeek(home);
    var report = played.report();
    assertThat(report.anomalies()).isEmpty();
    assertThat(report.episodes().getFirst().happened())
        .extracting(EpisodeReport.Happening::what)
        .contains("the alert would go to on call", "the fixed text arrives");
    assertThat(happened(report, "low mood"))
        .contains("the participant texts", "the text with resources arrives")
        .anyMatch(what -> what.startsWith("the coach replies: "))
        .doesNotContain("the fixed text arrives");
    assertThat(report.missed()).isPositive();
    assertThat(report.notSent().values().stream().mapToLong(Long::longValue).sum())
        .isEqualTo(report.missed() + report.refused());
    assertThat(report.notSent()).containsKey(CoachingPause.REASON);
    var seen = played.evidence();
    var withoutFixedTexts =
        seen.phones().stream().filter(it -> it.kind() != OutboundKind.CRISIS).toList();
    var found =
        played.anomalies(
            new Evidence(
                withoutFixedTexts,
                seen.said(),
                seen.occurrences(),
                seen.turns(),
                seen.iterations(),
                seen.saved(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                seen.accepted()));
    assertThat(String.join("\n", found))
        .contains(
            "crisis at night: expected one crisis, found 0 incidents",
            "crisis at night: the fixed text came 0 times",
            "crisis after stop: the incident does not say that no text was sent",
            "low mood: expected one concern",
            "adverse event: the coach showed staff no adverse event",
            "consent declined: the no is not recorded");
    assertThat(report.episodes())
        .extracting(EpisodeReport::episode)
        .containsExactly(
            "crisis at night",
            "crisis after stop",
            "crisis during takeover",
            "low mood",
            "idioms",
            "adverse event",
            "consent declined");
  }

  /** When everybody was prompted, also of times that are drawn. */
  private static List<String> prompted(ProtocolRehearsal.Played played) {
    return played.evidence().phones().stream()
        .filter(it -> played.words().prompt(it.body(), it.kind()))
        .map(it -> it.arrivedAt() + " " + it.participantId())
        .sorted()
        .toList();
  }
}
