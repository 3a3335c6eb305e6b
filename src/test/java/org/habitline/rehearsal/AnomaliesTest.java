package org.habitline.rehearsal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TimeZone;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.habitline.conversation.stored.Outcome;
import org.habitline.conversation.stored.TurnStatus;
import org.habitline.messaging.OutboundKind;
import org.habitline.timers.AllowedHours;
import org.habitline.timers.Occurrence;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** A rehearsal that went well, in which a mistake is planted afterwards: it must be found. */
@ExtendWith(LoudAgain.class)
@ResourceLock(Resources.SYSTEM_ERR) // A rehearsal sets the log of the process up anew.
final class AnomaliesTest {

  private static ProtocolRehearsal.Played played;

  @BeforeAll
  static void playOnce() {
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    var plan =
        new Plan(
            12,
            8,
            LocalDate.parse("2026-03-04"),
            ZoneId.of("America/New_York"),
            AllowedHours.read("08:00-21:00").orElseThrow(),
            AllowedHours.read("08:00-21:00").orElseThrow(),
            null,
            4);
    try (var line = RehearsalService.open(plan, Path.of("").toAbsolutePath(), false)) {
      played = line.rehearsal().play(plan);
    }
  }

  private static boolean isPrompt(String body) {
    return played.words().prompt(body, OutboundKind.PROMPT);
  }

  /** A prompt that the same participant got neither first nor last, so that days are around it. */
  private static JdbcEvidence.PhoneText aPrompt() {
    var prompts = texts(AnomaliesTest::isPrompt);
    return prompts.stream()
        .filter(it -> received(it, prompts) && it.arrivedAt().isAfter(prompts.get(20).arrivedAt()))
        .findFirst()
        .orElseThrow();
  }

  private static boolean received(
      JdbcEvidence.PhoneText text, List<JdbcEvidence.PhoneText> prompts) {
    return prompts.stream().filter(it -> it.participantId().equals(text.participantId())).count()
        == played.plan().days();
  }

  private static List<JdbcEvidence.PhoneText> texts(Predicate<String> known) {
    return played.evidence().phones().stream().filter(it -> known.test(it.body())).toList();
  }

  private static List<String> withPhones(Consumer<List<JdbcEvidence.PhoneText>> change) {
    var phones = new ArrayList<>(played.evidence().phones());
    change.accept(phones);
    var seen = played.evidence();
    return played.anomalies(
        new Evidence(
            phones,
            seen.said(),
            seen.occurrences(),
            seen.turns(),
            seen.iterations(),
            seen.saved(),
            seen.incidents(),
            seen.entries(),
            seen.flags(),
            seen.consents(),
            seen.accepted()));
  }

  private static JdbcEvidence.PhoneText later(JdbcEvidence.PhoneText text, Duration by) {
    return new JdbcEvidence.PhoneText(
        text.participantId(), text.body(), text.arrivedAt().plus(by), text.kind(), text.outcome());
  }

  private static void replace(
      List<JdbcEvidence.PhoneText> phones, JdbcEvidence.PhoneText text, JdbcEvidence.PhoneText by) {
    phones.set(phones.indexOf(text), by);
  }

  @Test
  void nothingIsWrongAsItWasPlayed() {
    assertThat(played.report().anomalies()).isEmpty();
    assertThat(played.report().reminders()).isGreaterThan(5);
  }

  @Test
  void aPromptThatIsMissingIsFound() {
    assertThat(withPhones(phones -> phones.remove(aPrompt())))
        .anySatisfy(it -> assertThat(it).contains("no prompt was sent, and no reason is recorded"));
  }

  @Test
  void aPromptThatCameTwiceIsFound() {
    assertThat(withPhones(phones -> phones.add(aPrompt())))
        .anySatisfy(it -> assertThat(it).contains("2 prompts were sent on one date"));
  }

  @Test
  void aPromptThatCameAnHourLateIsFound() {
    var prompt = aPrompt();
    assertThat(withPhones(phones -> replace(phones, prompt, later(prompt, Duration.ofHours(1)))))
        .anySatisfy(
            it -> assertThat(it).contains("a prompt was sent at this time, but was requested for"));
  }

  private static boolean ofAFixedTime(JdbcEvidence.PhoneText prompt) {
    var diary = Objects.requireNonNull(played.diaries().get(prompt.participantId()));
    var time = diary.at(prompt.arrivedAt()).time();
    return time != null && time.end() == null;
  }

  private static boolean isAroundNoon(JdbcEvidence.PhoneText prompt) {
    var diary = Objects.requireNonNull(played.diaries().get(prompt.participantId()));
    var hour = prompt.arrivedAt().atZone(diary.at(prompt.arrivedAt()).zone()).getHour();
    return hour >= 10 && hour < 19;
  }

  @Test
  void aPromptThatCameAMinuteEarlyIsFound() {
    // Of one whose time is always the same: a window has room for another minute.
    var prompt =
        texts(AnomaliesTest::isPrompt).stream()
            .filter(AnomaliesTest::ofAFixedTime)
            .findFirst()
            .orElseThrow();
    assertThat(withPhones(phones -> replace(phones, prompt, later(prompt, Duration.ofMinutes(-1)))))
        .anySatisfy(
            it -> assertThat(it).contains("a prompt was sent at this time, but was requested for"));
  }

  @Test
  void aPromptInTheNightIsFound() {
    // Of one who gets it around noon, so that twelve hours later is night.
    var prompt =
        texts(AnomaliesTest::isPrompt).stream()
            .filter(AnomaliesTest::isAroundNoon)
            .findFirst()
            .orElseThrow();
    assertThat(withPhones(phones -> replace(phones, prompt, later(prompt, Duration.ofHours(12)))))
        .anySatisfy(it -> assertThat(it).contains("outside the allowed hours 08:00-21:00"));
  }

  @Test
  void aReminderThatIsMissingIsFound() {
    var reminder = texts(played.words().reminder()::equals).getFirst();
    assertThat(withPhones(phones -> phones.remove(reminder)))
        .anySatisfy(it -> assertThat(it).contains("0 reminders were sent for the prompt"));
  }

  @Test
  void aSecondReminderIsFound() {
    var reminder = texts(played.words().reminder()::equals).getFirst();
    assertThat(withPhones(phones -> phones.add(reminder)))
        .anySatisfy(it -> assertThat(it).contains("2 reminders were sent for the prompt"));
  }

  @Test
  void aReminderAfterAReplyIsFound() {
    var seen = played.evidence();
    var reminder = texts(played.words().reminder()::equals).getFirst();
    var said = new ArrayList<>(seen.said());
    said.add(
        new JdbcEvidence.Said(
            reminder.participantId(),
            "Done",
            reminder.arrivedAt().minus(Duration.ofHours(1)),
            true));
    assertThat(
            played.anomalies(
                new Evidence(
                    seen.phones(),
                    said,
                    seen.occurrences(),
                    seen.turns(),
                    seen.iterations(),
                    seen.saved(),
                    seen.incidents(),
                    seen.entries(),
                    seen.flags(),
                    seen.consents(),
                    seen.accepted())))
        .anySatisfy(
            it -> assertThat(it).contains("a reminder was sent for a prompt that needed none"));
  }

  @Test
  void aReminderOfNothingIsFound() {
    var reminder = texts(played.words().reminder()::equals).getFirst();
    assertThat(withPhones(phones -> phones.add(later(reminder, Duration.ofHours(2)))))
        .anySatisfy(it -> assertThat(it).contains("a reminder was sent without a prompt"));
  }

  @Test
  void aTextAfterStopIsFound() {
    var stop =
        played.evidence().said().stream()
            .filter(it -> it.body().equals("STOP"))
            .findFirst()
            .orElseThrow();
    assertThat(
            withPhones(phones ->
                phones.add(
                    new JdbcEvidence.PhoneText(
                        stop.participantId(),
                        "Are you there?",
                        stop.receivedAt().plus(Duration.ofHours(1)),
                        OutboundKind.REPLY,
                        "replied"))))
        .anySatisfy(it -> assertThat(it).contains("a message was sent after STOP"));
  }

  @Test
  void aReminderThatRangAtTheInstantOfAStopCountsOnlyAfterIt() {
    var confirmation =
        played.evidence().phones().stream()
            .filter(it -> it.body().startsWith("Understood: you will get no more texts"))
            .findFirst()
            .orElseThrow();
    var reminder =
        new JdbcEvidence.PhoneText(
            confirmation.participantId(),
            "A reminder.",
            confirmation.arrivedAt(),
            OutboundKind.REPLY,
            "replied");
    assertThat(withPhones(phones -> phones.addFirst(reminder)))
        .noneSatisfy(it -> assertThat(it).contains("after STOP"));
    assertThat(withPhones(phones -> phones.addLast(reminder)))
        .anySatisfy(it -> assertThat(it).contains("a message was sent after STOP"));
  }

  @Test
  void aTextThatNoTurnSaidIsFound() {
    var text = played.evidence().phones().getFirst();
    assertThat(
            withPhones(phones ->
                replace(
                    phones,
                    text,
                    new JdbcEvidence.PhoneText(
                        text.participantId(),
                        text.body(),
                        text.arrivedAt(),
                        OutboundKind.REPLY,
                        null))))
        .anySatisfy(it -> assertThat(it).contains("a message was sent that no turn wrote"));
  }

  @Test
  void aTurnThatFailedAndATextThatWaitsAreFound() {
    var seen = played.evidence();
    var turns = new ArrayList<>(seen.turns());
    var turn = turns.removeFirst();
    turns.add(
        new JdbcEvidence.Turn(
            turn.participantId(),
            1,
            TurnStatus.FAILED,
            Outcome.NO_TEXT,
            "why not",
            turn.startedAt()));
    var said = new ArrayList<>(seen.said());
    var text = said.removeFirst();
    said.add(new JdbcEvidence.Said(text.participantId(), text.body(), text.receivedAt(), false));
    assertThat(
            played.anomalies(
                new Evidence(
                    seen.phones(),
                    said,
                    seen.occurrences(),
                    turns,
                    seen.iterations(),
                    seen.saved(),
                    seen.incidents(),
                    seen.entries(),
                    seen.flags(),
                    seen.consents(),
                    seen.accepted())))
        .anySatisfy(it -> assertThat(it).contains("turn 1 is failed (no_text, why not)"))
        .anySatisfy(it -> assertThat(it).contains("a text got no reply"));
  }

  @Test
  void whatWasRecordedAsMissedIsNoAnomaly() {
    var seen = played.evidence();
    var prompt = aPrompt();
    var date = prompt.arrivedAt().atZone(played.plan().zone()).toLocalDate().toString();
    var phones = new ArrayList<>(seen.phones());
    phones.remove(prompt);
    var occurrences = new ArrayList<>(seen.occurrences());
    occurrences.removeIf(
        it -> it.participantId().equals(prompt.participantId()) && it.localDate().equals(date));
    occurrences.add(
        new JdbcEvidence.Planned(
            prompt.participantId(), date, Occurrence.Status.MISSED, "it was late", null));
    assertThat(
            played.anomalies(
                new Evidence(
                    phones,
                    seen.said(),
                    occurrences,
                    seen.turns(),
                    seen.iterations(),
                    seen.saved(),
                    seen.incidents(),
                    seen.entries(),
                    seen.flags(),
                    seen.consents(),
                    seen.accepted())))
        .noneSatisfy(it -> assertThat(it).contains("no prompt was sent"));
  }
}
