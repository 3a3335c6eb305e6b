package org.habitline.conversation.wakeups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.habitline.Rows;
import org.habitline.conversation.wakeups.PromptDay.Departure;
import org.habitline.flows.FlowCatalog;
import org.habitline.flows.PromptGenerator;
import org.habitline.llm.openai.Scripted;
import org.habitline.messaging.Delivery;
import org.habitline.messaging.DeliveryFailure;
import org.habitline.messaging.DeliveryReport;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.messaging.LookUp;
import org.habitline.messaging.Restored;
import org.habitline.messaging.outbox.DeliveryReports;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.ParticipantStatus;
import org.habitline.storage.Transactions;
import org.habitline.timers.Sweeps;
import org.habitline.timers.Timers;
import org.habitline.timers.WakeupKind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A schedule becomes one prompt a day: when it comes, what it says, and when it does not come. */
final class DailyPromptTest {

  private static PromptDay day;

  @BeforeAll
  static void start() {
    day = PromptDay.of(DailyPromptTest.class);
  }

  @AfterAll
  static void stop() {
    day.close();
  }

  @BeforeEach
  void begin() {
    day.begin();
  }

  private static String ownText() {
    return Objects.requireNonNull(
            day.line().bean(FlowCatalog.class).defaultFlow().promptGenerator())
        .fallbackText();
  }

  @Test
  void aPromptThatWasDueInARestoredBackupIsMissedAndTheNextOnePlannedIfItIsSkipped() {
    var robin = day.scheduled("10:10");
    var restored = day.line().bean(Restored.class);
    restored.mark(Instant.now());
    restored.look();
    day.line().bean(Transactions.class).write(() -> restored.decide(true));
    Rows.of(day.line())
        .write(
            "UPDATE restored SET due_until = (SELECT MAX(due_at) FROM wakeup WHERE participant_id = ?)",
            robin.id());
    restored.look();
    try {
      assertThat(day.turnAt(robin, "10:10")).containsEntry("outcome", "dropped");
    } finally {
      Rows.of(day.line()).write("DELETE FROM restored");
      restored.look();
    }
    assertThat(day.occurrence(robin, day.today()))
        .containsEntry("status", "missed")
        .containsEntry("reason", "restored");
    assertThat(day.occurrence(robin, day.tomorrow())).containsEntry("status", "planned");
    assertThat(day.texts(robin, "prompt")).isEmpty();
  }

  @Test
  void aPromptComesAtItsTimeAndTheNextOneIsPlanned() {
    var robin = day.scheduled("09:30");
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt");
    assertThat(day.ringsAt("09:29")).isZero();
    var turn = day.turnAt(robin, "09:30");
    assertThat(turn)
        .containsEntry("kind", "woke")
        .containsEntry("status", "done")
        .containsEntry("outcome", "woke");
    assertThat(day.line().phone(robin)).endsWith(PromptDay.WITH_QUESTION, PromptDay.INTENSITY);
    assertThat(day.wakeup(robin, "auto_feedback")).containsEntry("status", "waiting");
    assertThat(day.occurrence(robin, day.today())).containsEntry("status", "sent");
    assertThat(day.occurrence(robin, day.tomorrow())).containsEntry("status", "planned");
    assertThat(day.wakeups(robin)).containsExactly("auto_feedback", "reminder", "daily_prompt");
    assertThat(day.state(robin))
        .containsEntry("lastPromptSentAt", day.utc("09:30"))
        .containsEntry("lastIntensityPromptDate", day.today())
        .containsEntry("lastHabitPrompt", PromptDay.PROMPT)
        .containsKeys("dailyPromptPending", "autoFeedbackTimerID", "dailyPromptReminderTimerID");
    assertThat(day.profile(robin).path("total_prompts").asInt()).isEqualTo(1);
  }

  @Test
  void thereIsOnePromptOnEveryDay() {
    var robin = day.scheduled("09:30");
    for (int n = 0; n < 3; n++) {
      day.turnAt(robin, "09:30");
      day.turnAt(robin, "09:35");
      day.turnAt(robin, "14:30");
      assertThat(day.ringsAt("09:29")).isZero();
    }
    assertThat(day.texts(robin, "prompt")).hasSize(3);
    assertThat(
            day.line()
                .column(
                    "SELECT local_date FROM occurrence WHERE participant_id = ? AND status ="
                        + " 'sent'",
                    robin.id()))
        .doesNotHaveDuplicates()
        .hasSize(3);
  }

  @Test
  void aPromptThatIsAsLateAsAllowedStillComes() {
    var robin = day.scheduled("09:30");
    assertThat(day.turnAt(robin, "11:30")).containsEntry("outcome", "woke");
    assertThat(day.texts(robin, "prompt")).hasSize(1);
  }

  @Test
  void aPromptThatIsLaterIsMissedAndTheNextOneIsPlanned() {
    var robin = day.scheduled("09:30");
    assertThat(day.turnAt(robin, "11:31"))
        .containsEntry("status", "done")
        .containsEntry("outcome", "dropped")
        .containsEntry("reason", "it was more than 2 h late");
    assertThat(day.texts(robin, "prompt")).isEmpty();
    assertThat(day.wakeup(robin, "daily_prompt")).containsEntry("status", "waiting");
    assertThat(day.occurrence(robin, day.today()))
        .containsEntry("status", "missed")
        .containsEntry("reason", "it was more than 2 h late");
    assertThat(day.occurrence(robin, day.tomorrow())).containsEntry("status", "planned");
    assertThat(day.turnAt(robin, "09:30")).containsEntry("outcome", "woke");
  }

  @Test
  void daysWithoutTheLineAreMissedAndNotMadeUpFor() {
    var robin = day.scheduled("09:30");
    assertThat(day.turnAfter(robin, Duration.ofDays(3))).containsEntry("outcome", "dropped");
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt");
    day.turnAt(robin, "09:30");
    assertThat(day.texts(robin, "prompt")).hasSize(1);
  }

  @Test
  void aPromptOutsideTheAllowedHoursIsMissedWithTheReason() {
    var robin = day.scheduled(ChannelKind.SMS, "20:50");
    var reason = "it was 21:30 for the participant, outside the allowed hours 08:00-21:00";
    assertThat(day.turnAt(robin, "21:30"))
        .containsEntry("outcome", "dropped")
        .containsEntry("reason", reason);
    assertThat(day.texts(robin, "prompt")).isEmpty();
    assertThat(day.occurrence(robin, day.today()))
        .containsEntry("status", "missed")
        .containsEntry("reason", reason);
    assertThat(day.occurrence(robin, day.tomorrow())).containsEntry("status", "planned");
  }

  @Test
  void aSimulatedPhoneHasNoAllowedHours() {
    var robin = day.scheduled("20:50");
    assertThat(day.turnAt(robin, "21:30")).containsEntry("outcome", "woke");
    assertThat(day.texts(robin, "prompt")).containsExactly(PromptDay.WITH_QUESTION);
  }

  @ParameterizedTest
  @EnumSource(
      value = Departure.class,
      names = {"PAUSED", "COMPLETED", "WITHDRAWN", "STOP"})
  void aPromptThatRangIsDroppedForWhoLeftBeforeItsTurn(Departure how) {
    var robin = day.scheduled("09:30");
    day.busy(
        robin,
        () -> {
          assertThat(day.ringsAt("09:30")).isOne();
          day.departs(robin, how);
        });
    var why = how == Departure.STOP ? "opted out" : "is " + how.name().toLowerCase(Locale.ROOT);
    assertThat(day.line().awaitTurn(robin, 3))
        .containsEntry("kind", "woke")
        .containsEntry("outcome", "dropped")
        .containsEntry("reason", "the participant " + why);
    assertThat(day.texts(robin, "prompt")).isEmpty();
    assertThat(day.wakeup(robin, "daily_prompt")).containsEntry("status", "cancelled");
    assertThat(day.occurrence(robin, day.today())).containsEntry("status", "cancelled");
  }

  @Test
  void whoIsDeletedGetsNoPromptThatRang() {
    var robin = day.scheduled(ChannelKind.SMS, "09:30");
    day.busy(
        robin,
        () -> {
          assertThat(day.ringsAt("09:30")).isOne();
          day.departs(robin, Departure.DELETED);
        });
    day.awaitErased(robin);
    assertThat(day.sms().bodies(robin)).last().asString().contains("last text");
    assertThat(day.sms().bodies(robin)).doesNotContain(PromptDay.BY_SMS);
  }

  @Test
  void aPromptIsDroppedForWhoIsPausedWhileItIsWritten() {
    var robin = day.scheduled("09:30");
    var held = new CountDownLatch(1);
    day.fake().then(Scripted.say(PromptDay.PROMPT).heldBy(held));
    day.ringsAt("09:30");
    await().until(() -> day.fake().pending() == 1);
    day.becomes(robin, ParticipantStatus.PAUSED);
    held.countDown();
    assertThat(day.line().awaitTurn(robin, 3))
        .containsEntry("outcome", "dropped")
        .containsEntry("reason", "it was cancelled while the turn was running");
    assertThat(day.texts(robin, "prompt")).isEmpty();
    assertThat(day.state(robin)).doesNotContainKeys("lastHabitPrompt", "lastIntensityPromptDate");
    assertThat(day.line().transcript(robin)).doesNotContain("assistant: " + PromptDay.PROMPT);
  }

  @Test
  void aPromptOfADateThatHadItsOwnIsDropped() {
    var robin = day.prompted();
    day.line()
        .bean(Timers.class)
        .plan(
            new Timers.Plan(
                robin.id(),
                WakeupKind.DAILY_PROMPT,
                Instant.parse(day.utc("09:34")),
                ZoneId.of("Europe/Berlin"),
                day.today() + "#1",
                "again"));
    assertThat(day.turnAt(robin, "09:34"))
        .containsEntry("outcome", "dropped")
        .containsEntry("reason", "its daily prompt is no longer scheduled");
    assertThat(day.texts(robin, "prompt")).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"400", "refusal", "filter", "cut off", "json", "too long"})
  void aPromptThatCannotBeWrittenIsTheFlowsOwnAndTheTurnSaysWhy(String how) {
    var robin = day.scheduled("09:30");
    day.fake()
        .then(
            switch (how) {
              case "400" -> Scripted.status(400);
              case "refusal" -> Scripted.refusal("I would rather not.");
              case "filter" -> Scripted.contentFilter();
              case "cut off" -> Scripted.cutOff("After the coffee");
              case "json" -> Scripted.say("{\"prompt\":\"After the coffee\"}");
              default -> Scripted.say("a".repeat(PromptGenerator.LONGEST_PROMPT + 1));
            });
    assertThat(day.turnAt(robin, "09:30"))
        .containsEntry("status", "failed")
        .containsEntry("outcome", "model_failed")
        .extractingByKey("reason")
        .asString()
        .startsWith("the model did not write the prompt: ")
        .endsWith("; the flow's fallback message was sent");
    assertThat(day.texts(robin, "prompt")).containsExactly(ownText() + "\n\n" + PromptDay.QUESTION);
    assertThat(day.wakeups(robin)).contains("reminder");
    assertThat(day.occurrence(robin, day.tomorrow())).containsEntry("status", "planned");
  }

  @Test
  void aPromptThatAGateBlocksIsWrittenOnceMore() {
    var robin = day.scheduled("09:30");
    day.fake().forget();
    day.fake()
        .then(
            Scripted.say("After coffee, call 988 and walk fifty steps."),
            Scripted.say("After coffee, walk fifty steps."));
    assertThat(day.turnAt(robin, "09:30")).containsEntry("outcome", "woke");
    assertThat(day.fake().asked()).hasSize(2);
    assertThat(day.texts(robin, "prompt"))
        .containsExactly("After coffee, walk fifty steps.\n\n" + PromptDay.QUESTION);
  }

  @Test
  void aPromptThatAGateBlocksTwiceIsTheFlowsOwn() {
    var robin = day.scheduled("09:30");
    day.fake()
        .then(
            Scripted.say("After coffee, call 988 and walk fifty steps."),
            Scripted.say("After coffee, take two ibuprofen and walk."));
    assertThat(day.turnAt(robin, "09:30"))
        .containsEntry("status", "failed")
        .containsEntry("outcome", "gated")
        .containsEntry(
            "reason",
            "the model did not write the prompt: a gate withheld its answer; the flow's fallback"
                + " message was sent");
    assertThat(day.texts(robin, "prompt")).containsExactly(ownText() + "\n\n" + PromptDay.QUESTION);
  }

  @Test
  void withoutACompleteProfileThePromptIsTheFlowsOwn() {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    day.answered(robin, PromptDay.fixed("09:30"));
    assertThat(day.turnAt(robin, "09:30"))
        .containsEntry("outcome", "woke")
        .containsEntry(
            "reason",
            "the profile has no prompt_anchor, preferred_time; the flow's fallback message was"
                + " sent");
    assertThat(day.texts(robin, "prompt")).containsExactly(ownText() + "\n\n" + PromptDay.QUESTION);
  }

  @Test
  void withAProfileThatCannotBeReadThePromptIsTheFlowsOwn() {
    var robin = day.scheduled("09:30");
    day.line()
        .write(
            "UPDATE state_data SET data_value = 'nonsense' WHERE participant_id = ? AND data_key ="
                + " 'userProfile'",
            robin.id());
    assertThat(day.turnAt(robin, "09:30"))
        .containsEntry("status", "failed")
        .containsEntry("outcome", "no_context");
    assertThat(day.texts(robin, "prompt")).containsExactly(ownText() + "\n\n" + PromptDay.QUESTION);
  }

  @Test
  void aPreparedTextIsSaidOnceAndNotAgain() {
    var robin = day.scheduled("09:30");
    var prepared = "Before the first email, try one minute of breathing — it helps you focus.";
    day.fake()
        .then(
            PromptDay.generate("scheduled"), Scripted.say(prepared), Scripted.say("It is ready."));
    day.line().answered(robin, "make it about breathing");
    assertThat(day.line().phone(robin)).last().isEqualTo("It is ready.");
    day.fake().forget();
    day.turnAt(robin, "09:30");
    assertThat(day.fake().asked()).isEmpty();
    assertThat(day.texts(robin, "prompt")).containsExactly(prepared + "\n\n" + PromptDay.QUESTION);
    assertThat(day.state(robin)).containsEntry("lastHabitPrompt", prepared);
    day.line().answered(robin, "Done");
    day.turnAt(robin, "09:30");
    assertThat(day.texts(robin, "prompt")).last().isEqualTo(PromptDay.WITH_QUESTION);
    assertThat(day.state(robin)).containsEntry("lastHabitPrompt", PromptDay.PROMPT);
  }

  @Test
  void aPreparedTextInTheLanguageBeforeIsNotSent() {
    var robin = day.scheduled("09:30");
    var prepared = "Before the first email, try one minute of breathing — it helps you focus.";
    day.fake()
        .then(
            PromptDay.generate("scheduled"), Scripted.say(prepared), Scripted.say("It is ready."));
    day.line().answered(robin, "make it about breathing");
    assertThat(day.state(robin)).containsEntry("preparedHabitPrompt", prepared);
    day.fake().then(Scripted.call("set_language", "{\"language\":\"es\"}"), Scripted.say("Claro."));
    day.line().answered(robin, "can we do this in Spanish?");
    assertThat(day.state(robin)).doesNotContainKey("preparedHabitPrompt");
    day.fake()
        .then(
            Scripted.call("set_language", "{\"language\":\"en\"}"),
            PromptDay.generate("scheduled"),
            Scripted.say(prepared),
            Scripted.say("It is ready."));
    day.line().answered(robin, "no, back to English, and breathing");
    assertThat(day.state(robin)).doesNotContainKey("preparedHabitPrompt");
  }

  @Test
  void aPreparedTextWaitsWhenAPromptIsMissed() {
    var robin = day.scheduled("09:30");
    var prepared = "Before the first email, try one minute of breathing — it helps you focus.";
    day.fake()
        .then(
            PromptDay.generate("scheduled"), Scripted.say(prepared), Scripted.say("It is ready."));
    day.line().answered(robin, "make it about breathing");
    day.turnAt(robin, "12:00");
    day.turnAt(robin, "09:30");
    assertThat(day.texts(robin, "prompt")).containsExactly(prepared + "\n\n" + PromptDay.QUESTION);
  }

  @Test
  void aPromptTheProviderRefusesLeavesNothingBehind() {
    var robin = day.scheduled(ChannelKind.SMS, "09:30");
    day.sms().refuse(robin, "not a mobile number");
    day.turnAt(robin, "09:30");
    assertThat(day.occurrence(robin, day.today()))
        .containsEntry("status", "refused")
        .containsEntry("reason", "not a mobile number");
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt");
    assertThat(day.state(robin))
        .doesNotContainKeys(
            "lastPromptSentAt",
            "dailyPromptPending",
            "dailyPromptReminderTimerID",
            "autoFeedbackTimerID");
    assertThat(day.profile(robin).path("total_prompts").asInt()).isZero();
    assertThat(day.ringsAt("21:00")).isZero();
    assertThat(day.turnAt(robin, "09:30")).containsEntry("outcome", "woke");
    assertThat(day.profile(robin).path("total_prompts").asInt()).isEqualTo(1);
  }

  @Test
  void whatFollowsAPromptBeginsWhenTheProviderTakesIt() {
    var robin = day.scheduled(ChannelKind.SMS, "09:30");
    var held = new CountDownLatch(1);
    day.sms().then(robin, message -> PromptDay.after(held, message));
    day.ringsAt("09:30");
    await().until(() -> day.sms().attempts(robin, PromptDay.BY_SMS) == 1);
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt");
    assertThat(day.state(robin)).doesNotContainKeys("lastPromptSentAt", "dailyPromptPending");
    assertThat(day.profile(robin).path("total_prompts").asInt()).isZero();
    day.at("09:50");
    held.countDown();
    day.line().awaitTurn(robin, 3);
    assertThat(day.state(robin)).containsEntry("lastPromptSentAt", day.utc("09:50"));
    assertThat(day.state(robin).get("dailyPromptPending"))
        .asString()
        .contains("reminder_due_at=" + day.utc("14:50"));
    assertThat(day.ringsAt("09:54")).isZero();
    assertThat(day.turnAt(robin, "09:55")).containsEntry("outcome", "woke");
    assertThat(day.ringsAt("14:49")).isZero();
    assertThat(day.turnAt(robin, "14:50")).containsEntry("outcome", "woke");
    assertThat(day.texts(robin, "reminder")).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(
      value = Departure.class,
      names = {"PAUSED", "WITHDRAWN", "STOP"})
  void nothingFollowsAPromptThatIsTakenAfterTheParticipantLeft(Departure how) {
    var robin = day.scheduled(ChannelKind.SMS, "09:30");
    var held = new CountDownLatch(1);
    day.sms().then(robin, message -> PromptDay.after(held, message));
    day.ringsAt("09:30");
    await().until(() -> day.sms().attempts(robin, PromptDay.BY_SMS) == 1);
    day.departs(robin, how);
    held.countDown();
    day.line().awaitTurn(robin, how == Departure.STOP ? 4 : 3);
    assertThat(day.wakeups(robin)).isEmpty();
    assertThat(day.state(robin))
        .containsEntry("lastPromptSentAt", day.utc("09:30"))
        .doesNotContainKeys("dailyPromptPending", "dailyPromptReminderTimerID");
    assertThat(day.sms().bodies(robin)).last().isEqualTo(PromptDay.BY_SMS);
  }

  @Test
  void aPromptThatWaitsInTheOutboxDoesNotOutliveAPause() {
    var robin = day.scheduled(ChannelKind.SMS, "09:30");
    day.sms().defer(robin, Duration.ofMinutes(10));
    day.ringsAt("09:30");
    day.line().awaitPutOff(robin);
    day.becomes(robin, ParticipantStatus.PAUSED);
    day.line().awaitTurn(robin, 3);
    assertThat(day.occurrence(robin, day.today())).containsEntry("status", "refused");
    day.becomes(robin, ParticipantStatus.ACTIVE);
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt");
    assertThat(day.occurrence(robin, day.tomorrow())).containsEntry("status", "planned");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aTurnThatIsTakenUpAgainSendsOnePrompt(int attempts) {
    var robin = day.scheduled("09:30");
    var held = new CountDownLatch(1);
    day.fake().then(Scripted.say("Too late.").heldBy(held));
    day.ringsAt("09:30");
    await().until(() -> day.fake().pending() == 1);
    day.line()
        .write(
            "UPDATE turn SET attempts = ? WHERE participant_id = ? AND number = 3",
            attempts,
            robin.id());
    // Another node finds the lease run out.
    day.busy(robin, () -> {});
    var turn = day.line().awaitTurn(robin, 3);
    held.countDown();
    if (attempts == 1) {
      assertThat(turn).containsEntry("outcome", "woke");
      assertThat(day.texts(robin, "prompt")).containsExactly(PromptDay.WITH_QUESTION);
    } else {
      assertThat(turn).containsEntry("status", "failed").containsEntry("outcome", "crashed");
      assertThat(day.texts(robin, "prompt"))
          .containsExactly(ownText() + "\n\n" + PromptDay.QUESTION);
    }
    assertThat(day.line().phone(robin)).doesNotContain("Too late.\n\n" + PromptDay.QUESTION);
    assertThat(day.profile(robin).path("total_prompts").asInt()).isEqualTo(1);
  }

  @Test
  void aPromptThatTheDatabaseRefusesIsMissedAndTheNextOneIsPlanned() {
    var robin = day.scheduled("09:30");
    Rows.of(day.line())
        .refusing(
            "outbox",
            "participant_id = '" + robin.id() + "' AND kind = 'prompt'",
            () -> {
              var turn = day.turnAt(robin, "09:30");
              assertThat(turn)
                  .containsEntry("status", "failed")
                  .containsEntry("outcome", "crashed");
            });
    assertThat(day.texts(robin, "prompt")).isEmpty();
    assertThat(day.occurrence(robin, day.today())).containsEntry("status", "missed");
    assertThat(day.occurrence(robin, day.tomorrow())).containsEntry("status", "planned");
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt");
  }

  @Test
  void aFlowThatHasNoDailyPromptsAnyMoreSendsNothing() {
    try (var first = PromptDay.of(DailyPromptTest.class)) {
      var reminded = first.prompted();
      var prompted = first.scheduled("14:30");
      var tried = first.greeted(ChannelKind.SIMULATOR);
      first.at("14:20");
      first
          .fake()
          .then(
              PromptDay.profile(),
              PromptDay.generate("immediate"),
              Scripted.say(PromptDay.PROMPT),
              Scripted.say(PromptDay.PROMPT));
      first.line().answered(tried, "now please");
      first.line().stop();
      var second =
          first
              .line()
              .second()
              .flow(yaml ->
                  yaml.replaceAll("(?ms)^daily_prompt:.*?(?=^texts:)", "")
                      .replace(" scheduler,", "")
                      .replace(" record_outcome,", ""))
              .prompt("intake_bot_system.txt", "Take people in.")
              .prompt("feedback_tracker_system.txt", "Listen.")
              .start();
      try {
        first.at("14:40");
        assertThat(second.bean(Sweeps.class).sweep()).isEqualTo(4);
        second.awaitTurn(reminded, 5);
        assertThat(second.turn(reminded, 4).orElseThrow())
            .containsEntry("reason", "the flow does not move participants automatically");
        assertThat(second.turn(reminded, 5).orElseThrow())
            .containsEntry("reason", "the flow no longer has a daily prompt");
        assertThat(second.awaitTurn(prompted, 3))
            .containsEntry("reason", "the flow no longer has a daily prompt");
        assertThat(second.awaitTurn(tried, 3)).containsEntry("reason", "the flow has no check-in");
        assertThat(second.rows("SELECT * FROM outbox WHERE kind IN ('reminder', 'check_in')"))
            .isEmpty();
      } finally {
        second.stop();
      }
    }
  }

  @Test
  void aStudyMaySendEarlyAndBeStricterAboutLateness() {
    try (var strict =
        PromptDay.of(
            DailyPromptTest.class,
            setup ->
                setup
                    .with("scheduler.prep-time-minutes", "10")
                    .with("daily-prompt.max-lateness", "15m"))) {
      var robin = strict.scheduled("09:30");
      assertThat(strict.ringsAt("09:19")).isZero();
      assertThat(strict.turnAt(robin, "09:20")).containsEntry("outcome", "woke");
      strict.line().answered(robin, "Done");
      assertThat(strict.ringsAt("09:19")).isZero();
      assertThat(strict.turnAt(robin, "09:36"))
          .containsEntry("reason", "it was more than 15 min late");
      assertThat(strict.texts(robin, "prompt")).hasSize(1);
    }
  }

  @Test
  void theNextModelKnowsWhatWasAsked() {
    var robin = day.prompted();
    day.line().answered(robin, "it was fine");
    assertThat(day.fake().asked().getLast().texts("assistant"))
        .endsWith(PromptDay.WITH_QUESTION, PromptDay.INTENSITY);
  }

  /** What the writer of the newest prompt was shown. */
  private static String shown() {
    return day.fake().asked().stream()
        .filter(asked -> !asked.hasTools())
        .toList()
        .getLast()
        .texts("system")
        .getFirst();
  }

  private static String written(LocalDate date) {
    return DateTimeFormatter.ofPattern("EEEE, yyyy-MM-dd", Locale.ENGLISH).format(date);
  }

  @Test
  void theWriterSeesTheDayAndWhatCameOfTheLastPrompts() {
    var robin = day.scheduled("09:30");
    var first = LocalDate.parse(day.today());
    day.turnAt(robin, "09:30");
    assertThat(shown())
        .contains("\nStudy day: 1\nToday: " + written(first))
        .doesNotContain("Last daily prompts, newest first:", "Keep the moment");
    day.line().answered(robin, "Done");
    day.fake().then(Scripted.say("After the coffee, stretch."));
    day.turnAt(robin, "09:30");
    day.turnAt(robin, "09:35");
    day.turnAt(robin, "14:30");
    day.fake().then(Scripted.say("While the coffee brews, reach up."));
    day.turnAt(robin, "09:30");

    assertThat(shown())
        .contains(
            """
            Study day: 3
            Today: %s
            Last daily prompts, newest first:
            - %s: After the coffee, stretch. (no reply)
            - %s: %s (done)
            """
                .formatted(
                    written(first.plusDays(2)),
                    written(first.plusDays(1)),
                    written(first),
                    PromptDay.PROMPT))
        .contains(
            "Keep the moment and the action of the last daily prompts", "follow the profile.");
  }

  @Test
  void aPromptThatRepeatsOneOfTheLastIsWrittenOnceMore() {
    var robin = day.prompted();
    day.turnAt(robin, "09:35");
    day.turnAt(robin, "14:30");
    day.fake().forget();
    day.fake()
        .then(
            Scripted.say(PromptDay.PROMPT.toUpperCase(Locale.ROOT)),
            Scripted.say("While the coffee brews, reach up."));
    assertThat(day.turnAt(robin, "09:30")).containsEntry("outcome", "woke");

    assertThat(day.fake().asked()).hasSize(2);
    assertThat(String.join("\n", day.fake().asked().getLast().texts("system")))
        .contains("This was the daily prompt of ", " already. Write it once more.");
    assertThat(day.texts(robin, "prompt").getLast())
        .isEqualTo("While the coffee brews, reach up.\n\n" + PromptDay.QUESTION);
  }

  @Test
  void afterTheFirstSuccessTheModelIsToldToAskWhyItMatters() {
    var robin = day.prompted();
    day.line().answered(robin, "Done");
    day.line().answered(robin, "it was fine");
    assertThat(day.fake().asked().getLast().texts("system").getFirst())
        .contains("\nAsk now: motivational_frame\n");
  }

  @Test
  void theLongestPromptFitsInOneTextOfAProvider() {
    var robin = day.scheduled(ChannelKind.SMS, "09:30");
    day.fake().then(Scripted.say("a".repeat(PromptGenerator.LONGEST_PROMPT)));
    day.turnAt(robin, "09:30");
    assertThat(day.texts(robin, "prompt"))
        .singleElement()
        .asString()
        .endsWith(PromptDay.QUESTION)
        .hasSizeLessThan(1600);
  }

  @Test
  void aPromptUsesTheChannelOfTheParticipant() {
    var robin = day.prompted(ChannelKind.SMS);
    assertThat(day.sms().bodies(robin)).endsWith(PromptDay.BY_SMS, PromptDay.INTENSITY);
  }

  @Test
  void theModelThatWroteAPromptIsRecorded() {
    var robin = day.prompted();
    var iterations = day.line().iterations(robin, 3).iterations();
    assertThat(iterations).hasSize(1);
    assertThat(iterations.getFirst().metadata())
        .containsEntry("prompt_file", "prompt_generator_system.txt")
        .containsEntry("text", PromptDay.PROMPT)
        .containsKeys("prompt_sha256", "receipt");
  }

  private static void reported(String providerId, String status, DeliveryStatus rank) {
    day.line()
        .bean(DeliveryReports.class)
        .accept(new DeliveryReport(providerId, status, rank, "30005", DeliveryFailure.BAD_NUMBER));
  }

  @Test
  void aPromptOfWhichAFailureIsKnownBeforeItsAcceptanceIsNotReminded() {
    var robin = day.scheduled(ChannelKind.SMS, "09:30");
    day.sms().then(robin, message -> new Delivery.Unknown("timed out"));
    day.sms().found(robin, new LookUp.Sent("SM-late"));
    reported("SM-late", "undelivered", DeliveryStatus.UNDELIVERED);
    day.turnAt(robin, "09:30");
    assertThat(day.occurrence(robin, day.today()))
        .containsEntry("status", "refused")
        .containsEntry("reason", "undelivered: 30005")
        .containsEntry("pending", false);
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt");
  }

  @Test
  void aPromptThatCannotBeDeliveredIsNeitherPendingNorReminded() {
    var robin = day.prompted(ChannelKind.SMS);
    assertThat(day.wakeups(robin)).contains("reminder", "auto_feedback");
    var sid =
        day.line()
            .column(
                "SELECT provider_id FROM outbox WHERE participant_id = ? AND kind = 'prompt'",
                robin.id())
            .getLast();
    reported(sid, "undelivered", DeliveryStatus.UNDELIVERED);
    assertThat(day.occurrence(robin, day.today()))
        .containsEntry("status", "refused")
        .containsEntry("pending", false);
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt");
  }
}
