package org.habitline.conversation.wakeups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.LocalDate;
import java.util.concurrent.CountDownLatch;
import org.habitline.RunningLine;
import org.habitline.conversation.stored.OutcomeWriter;
import org.habitline.llm.openai.Scripted;
import org.habitline.messaging.Delivery;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.storage.Transactions;
import org.habitline.timers.Occurrence;
import org.habitline.timers.OutcomeEntry;
import org.habitline.timers.PromptOutcome;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** In the flow habit-cue the prompt goes alone, and the question how it went follows later. */
final class AskAfterTest {

  private static final String QUESTION = "Did you get a chance to do it? Reply Done or Next time.";

  private static PromptDay day;

  @BeforeAll
  static void start() {
    // People of these tests are enrolled into the flow named habit.
    day =
        PromptDay.of(
            AskAfterTest.class,
            setup ->
                setup.flow(habit ->
                    RunningLine.read(Path.of("config/flows/habit-cue/flow.yaml"))
                        .replace("id: habit-cue", "id: habit")));
  }

  @AfterAll
  static void stop() {
    day.close();
  }

  @BeforeEach
  void begin() {
    day.begin();
  }

  private static @Nullable Object outcome(Participant robin) {
    return day.occurrence(robin, day.today()).get("outcome");
  }

  /** Lets it become the time of the question and waits for its turn. */
  private static void asked(Participant robin) {
    day.turnAt(robin, "12:30");
    assertThat(day.texts(robin, "reminder")).containsExactly(QUESTION);
  }

  @Test
  void thePromptGoesAloneAndTheQuestionIsTheOnlyMessageThatFollows() {
    var robin = day.prompted();
    assertThat(day.texts(robin, "prompt")).containsExactly(PromptDay.PROMPT);
    assertThat(day.texts(robin, "intensity")).isEmpty();
    assertThat(day.wakeups(robin)).containsExactly("auto_feedback", "reminder", "daily_prompt");
    day.turnAt(robin, "09:35");
    assertThat(day.ringsAt("12:29")).isZero();

    asked(robin);

    assertThat(day.line().phone(robin)).last().isEqualTo(QUESTION);
    assertThat(day.state(robin)).doesNotContainKey("dailyPromptPending");
    assertThat(day.ringsAt("22:00")).as("there is no reminder beside it").isZero();
    assertThat(outcome(robin)).isNull();
    day.line().answered(robin, "👍");
    assertThat(outcome(robin)).isEqualTo("done");
  }

  @ParameterizedTest
  @CsvSource({"Yes, done", "sí, done", "no, not_done", "hoy no, not_done", "only half, partly"})
  void aShortReplyToTheQuestionIsReadInBothLanguages(String reply, String outcome) {
    var robin = day.prompted();
    day.turnAt(robin, "09:35");
    asked(robin);
    day.line().answered(robin, reply);
    assertThat(outcome(robin)).isEqualTo(outcome);
  }

  @ParameterizedTest
  @CsvSource({"👍", "yes", "not today", "'ok, will do'"})
  void aPromiseIsNoOutcomeAndTheQuestionStillComes(String reply) {
    var robin = day.prompted();
    day.at("09:31");
    day.line().answered(robin, reply);
    assertThat(outcome(robin)).isNull();
    assertThat(day.occurrence(robin, day.today()).get("responded_at")).isNotNull();
    assertThat(day.fake().asked().getLast().texts("system").getLast())
        .contains("a message at " + day.today() + " 12:30 asks how it went");
    assertThat(day.wakeups(robin)).containsExactly("reminder", "daily_prompt");

    asked(robin);
    day.line().answered(robin, "a bit");
    assertThat(outcome(robin)).isEqualTo("partly");
    assertThat(day.profile(robin).path("success_count").asInt()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"I did it!, done", "skipped it, not_done", "Hecho, done", "did half, partly"})
  void whoeverSaysHowItWentIsNotAsked(String reply, String outcome) {
    var robin = day.prompted();
    day.line().answered(robin, reply);
    assertThat(outcome(robin)).isEqualTo(outcome);
    assertThat(day.wakeup(robin, "reminder"))
        .containsEntry("status", "cancelled")
        .containsEntry("reason", "an outcome was recorded");
    assertThat(day.ringsAt("22:00")).isZero();
  }

  @Test
  void theCoachOrStaffWhoRecordAnOutcomeDropTheQuestion() {
    var robin = day.prompted();
    // The longest note; H2 counts each of its characters as two.
    var note = "🌳".repeat(OutcomeEntry.LONGEST_NOTE);
    day.answered(
        robin,
        Scripted.call(
            "record_outcome",
            "{\"occurrence\":null,\"outcome\":\"partly\",\"note\":\"" + note + "\"}"));
    assertThat(outcome(robin)).isEqualTo("partly");
    assertThat(
            day.line()
                .rows("SELECT note FROM outcome_change WHERE participant_id = ?", robin.id())
                .getFirst())
        .containsEntry("note", note);
    assertThat(day.wakeup(robin, "reminder")).containsEntry("status", "cancelled");

    day.turnAt(robin, "09:30");
    var transactions = day.line().bean(Transactions.class);
    var key = new Occurrence.Key(LocalDate.parse(day.tomorrow()), 1);
    transactions.write(() -> {
      day.line().bean(Participants.class).hold(robin.id());
      day.line()
          .bean(OutcomeWriter.class)
          .record(robin.id(), key, OutcomeEntry.byStaff(PromptOutcome.DONE, "Sam", "by phone"));
    });
    assertThat(day.wakeup(robin, "reminder")).containsEntry("status", "cancelled");
    assertThat(day.profile(robin).path("success_count").asInt()).isEqualTo(1);
  }

  @Test
  void aQuestionThatWouldComeByNightComesBeforeTheHoursEnd() {
    var robin = day.scheduled(ChannelKind.SMS, "19:00");
    day.turnAt(robin, "19:00");
    day.turnAt(robin, "19:05");
    assertThat(day.ringsAt("20:44")).isZero();
    assertThat(day.turnAt(robin, "20:45")).containsEntry("outcome", "woke");
    assertThat(day.texts(robin, "reminder")).containsExactly(QUESTION);
    day.line().answered(robin, "👍");
    assertThat(outcome(robin)).isEqualTo("done");
  }

  @Test
  void aLatePromptIsAskedAboutInTheMorningAndTheCoachIsToldSo() {
    var robin = day.scheduled(ChannelKind.SMS, "20:30");
    day.turnAt(robin, "20:30");
    day.turnAt(robin, "20:35");
    day.line().answered(robin, "ok, will do");
    assertThat(day.fake().asked().getLast().texts("system").getLast())
        .contains("a message at " + day.tomorrow() + " 08:00 asks how it went");
    assertThat(day.ringsAt("23:30")).isZero();
    assertThat(day.turnAt(robin, "08:00")).containsEntry("outcome", "woke");
    assertThat(day.texts(robin, "reminder")).containsExactly(QUESTION);
  }

  @Test
  void aQuestionThatRingsTooLateInTheEveningWaitsForTheMorning() {
    var robin = day.scheduled(ChannelKind.SMS, "19:00");
    day.turnAt(robin, "19:00");
    day.turnAt(robin, "19:05");
    assertThat(day.turnAt(robin, "21:30"))
        .containsEntry("outcome", "dropped")
        .extractingByKey("reason")
        .asString()
        .contains("outside the allowed hours", "the question waits");
    assertThat(day.turnAt(robin, "08:00")).containsEntry("outcome", "woke");
    assertThat(day.texts(robin, "reminder")).containsExactly(QUESTION);
  }

  @Test
  void aTextAtTheTimeOfTheQuestionPutsItOff() {
    var robin = day.prompted();
    day.turnAt(robin, "09:35");
    day.busy(
        robin,
        () -> {
          assertThat(day.ringsAt("12:30")).isOne();
          day.line().text(robin, "how long should it take?");
        });
    assertThat(day.texts(robin, "reminder")).isEmpty();
    assertThat(day.fake().asked().getLast().texts("system").getLast())
        .contains("a message at " + day.today() + " 12:40 asks how it went");
    assertThat(day.turnAt(robin, "12:40")).containsEntry("outcome", "woke");
    assertThat(day.texts(robin, "reminder")).containsExactly(QUESTION);
  }

  @Test
  void aPromptThatDidNotArriveHasNoOutcome() {
    var robin = day.scheduled(ChannelKind.SMS, "09:30");
    var held = new CountDownLatch(1);
    day.sms()
        .then(
            robin,
            message -> {
              var _ = PromptDay.after(held, message);
              return new Delivery.Refused("unreachable");
            });
    day.ringsAt("09:30");
    await().until(() -> day.sms().bodies(robin).getLast().startsWith("After the coffee brews"));
    // They mean the prompt of yesterday.
    day.line().text(robin, "did it");
    await().untilAsserted(() -> assertThat(outcome(robin)).isEqualTo("done"));
    held.countDown();
    await()
        .untilAsserted(() ->
            assertThat(day.occurrence(robin, day.today()))
                .containsEntry("status", "refused")
                .containsEntry("outcome", null));
    assertThat(day.profile(robin).path("success_count").asInt()).isZero();
  }

  @Test
  void aQuestionThatWasNotDeliveredWasNotAsked() {
    var robin = day.prompted(ChannelKind.SMS);
    day.turnAt(robin, "09:35");
    day.sms().refuse(robin, "unreachable");
    day.turnAt(robin, "12:30");
    assertThat(day.occurrence(robin, day.today()))
        .containsEntry("asked_at", null)
        .containsEntry("question_open", false);
  }

  @Test
  void theIntensityIsAskedOnlyOnceAWeekAndAfterTwoMisses() {
    var robin = day.prompted();
    assertThat(day.texts(robin, "intensity")).as("nothing is known yet").isEmpty();
    day.line().answered(robin, "I did it");
    day.turnAt(robin, "09:30");
    assertThat(day.texts(robin, "intensity")).hasSize(1);
    day.line().answered(robin, "skipped it");
    day.turnAt(robin, "09:30");
    assertThat(day.texts(robin, "intensity")).hasSize(1);
    day.line().answered(robin, "skipped it");
    day.turnAt(robin, "09:30");
    assertThat(day.texts(robin, "intensity")).as("one miss since it was asked").hasSize(1);
    day.line().answered(robin, "skipped it");
    day.turnAt(robin, "09:30");
    assertThat(day.texts(robin, "intensity")).as("two misses since it was asked").hasSize(2);
  }
}
