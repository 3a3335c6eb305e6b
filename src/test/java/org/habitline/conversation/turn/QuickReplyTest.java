package org.habitline.conversation.turn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.habitline.conversation.takeover.Takeover;
import org.habitline.conversation.wakeups.PromptDay;
import org.habitline.llm.openai.Scripted;
import org.habitline.messaging.OutboundKind;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a reply to a prompt means by itself, whatever a model makes of it. */
final class QuickReplyTest {

  private static PromptDay day;

  @BeforeAll
  static void start() {
    day = PromptDay.of(QuickReplyTest.class);
  }

  @AfterAll
  static void stop() {
    day.close();
  }

  @BeforeEach
  void begin() {
    day.begin();
  }

  private static int successes(Participant robin) {
    return day.profile(robin).path("success_count").asInt();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Done", "done", "DONE!", " Done. ", "✅ done"})
  void doneCountsAndIsShownToTheModel(String reply) {
    var robin = day.prompted();
    day.at("09:31");
    assertThat(day.line().answered(robin, reply)).containsEntry("outcome", "replied");
    assertThat(successes(robin)).isEqualTo(1);
    assertThat(day.fake().asked().getLast().lastUserText()).isEqualTo(reply);
    assertThat(day.state(robin))
        .containsEntry("dailyPromptRespondedAt", day.utc("09:31"))
        .doesNotContainKey("dailyPromptPending");
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Next time", "I am done with work", "not done", "Donegal", "🤔"})
  void anythingElseIsAReplyAndNoSuccess(String reply) {
    var robin = day.prompted();
    day.line().answered(robin, reply);
    assertThat(successes(robin)).isZero();
    assertThat(day.state(robin))
        .containsKey("dailyPromptRespondedAt")
        .doesNotContainKey("dailyPromptPending");
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt");
  }

  @Test
  void doneCountsOnceForOnePrompt() {
    var robin = day.prompted();
    day.busy(
        robin,
        () -> {
          day.line().text(robin, "Done");
          day.line().text(robin, "done!");
        });
    day.line().awaitTurn(robin, 4);
    day.line().answered(robin, "Done");
    assertThat(successes(robin)).isEqualTo(1);
  }

  @Test
  void aSecondThoughtStillCountsAndTheFirstReplyIsTheResponse() {
    var robin = day.prompted();
    day.at("09:31");
    day.line().answered(robin, "Next time");
    day.at("09:40");
    day.line().answered(robin, "Done");
    assertThat(successes(robin)).isEqualTo(1);
    assertThat(day.state(robin)).containsEntry("dailyPromptRespondedAt", day.utc("09:31"));
  }

  @Test
  void doneWithoutAPromptCountsNothing() {
    var robin = day.scheduled("09:30");
    day.line().answered(robin, "Done");
    assertThat(successes(robin)).isZero();
    assertThat(day.state(robin)).doesNotContainKey("dailyPromptRespondedAt");
  }

  @Test
  void doneToAPromptThatNeverArrivedCountsNothing() {
    var robin = day.scheduled(ChannelKind.SMS, "09:30");
    day.sms().refuse(robin, "unreachable");
    day.turnAt(robin, "09:30");
    day.line().answered(robin, "Done");
    assertThat(successes(robin)).isZero();
    assertThat(day.state(robin)).doesNotContainKey("dailyPromptRespondedAt");
  }

  @Test
  void aTextFromBeforeThePromptIsNoReplyToIt() {
    var robin = day.scheduled("09:30");
    day.busy(
        robin,
        () -> {
          assertThat(day.ringsAt("09:30")).isOne();
          day.line().text(robin, "Done");
          day.at("09:31");
        });
    day.line().awaitTurn(robin, 4);
    assertThat(successes(robin)).isZero();
    assertThat(day.state(robin))
        .containsKey("dailyPromptPending")
        .doesNotContainKey("dailyPromptRespondedAt");
    assertThat(day.wakeups(robin)).contains("reminder");
  }

  @Test
  void aReplyOnTheNextMorningStillCounts() {
    var robin = day.prompted();
    day.turnAt(robin, "09:35");
    day.turnAt(robin, "14:30");
    day.at("08:00");
    day.line().answered(robin, "Done");
    assertThat(successes(robin)).isEqualTo(1);
    assertThat(day.occurrence(robin, day.today())).containsEntry("outcome", "done");
    day.turnAt(robin, "09:30");
    day.line().answered(robin, "Done");
    assertThat(successes(robin)).isEqualTo(2);
    assertThat(day.occurrence(robin, day.tomorrow())).containsEntry("outcome", "done");
  }

  @Test
  void aReplyWhileTheNextPromptWaitsToBeSentIsAboutTheOneBefore() {
    var robin = day.prompted(ChannelKind.SMS);
    day.turnAt(robin, "09:35");
    day.turnAt(robin, "14:30");
    day.sms().defer(robin, Duration.ofHours(1));
    day.ringsAt("09:30");
    day.line().awaitPutOff(robin);
    day.at("09:31");
    day.line().text(robin, "did it");
    await()
        .until(() ->
            day.line()
                .turn(robin, 7)
                .filter(turn -> "done".equals(turn.get("status")))
                .isPresent());
    assertThat(day.fake().asked().getLast().texts("system").getLast())
        .contains("Daily prompt: sent " + day.today() + " 09:30");
    assertThat(day.occurrence(robin, day.today())).containsEntry("outcome", "done");
    assertThat(day.occurrence(robin, day.tomorrow()))
        .containsEntry("status", "prompting")
        .containsEntry("responded_at", null)
        .containsEntry("outcome", null);
    assertThat(successes(robin)).isEqualTo(1);
  }

  @Test
  void aReplyThatBeatsTheAcceptanceIsTheReply() {
    var robin = day.scheduled(ChannelKind.SMS, "09:30");
    var held = new CountDownLatch(1);
    day.sms().then(robin, message -> PromptDay.after(held, message));
    day.ringsAt("09:30");
    await().until(() -> day.sms().attempts(robin, PromptDay.BY_SMS) == 1);
    day.at("09:31");
    day.line().text(robin, "Done");
    await()
        .until(() ->
            day.line()
                .turn(robin, 4)
                .filter(turn -> "done".equals(turn.get("status")))
                .isPresent());
    held.countDown();
    day.line().awaitTurn(robin, 4);
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt");
    assertThat(day.state(robin))
        .containsEntry("lastPromptSentAt", day.utc("09:31"))
        .containsEntry("dailyPromptRespondedAt", day.utc("09:31"))
        .doesNotContainKeys(
            "dailyPromptPending", "dailyPromptReminderTimerID", "autoFeedbackTimerID");
    assertThat(successes(robin)).isEqualTo(1);
    assertThat(day.profile(robin).path("total_prompts").asInt()).isEqualTo(1);
  }

  @Test
  void anAcceptanceWhileAReplyIsBeingAnsweredArmsNothingThatStays() {
    var robin = day.scheduled(ChannelKind.SMS, "09:30");
    var sending = new CountDownLatch(1);
    day.sms().then(robin, message -> PromptDay.after(sending, message));
    day.ringsAt("09:30");
    await().until(() -> day.sms().attempts(robin, PromptDay.BY_SMS) == 1);
    var thinking = new CountDownLatch(1);
    day.fake().then(Scripted.say("Well done.").heldBy(thinking));
    day.line().text(robin, "Done");
    await().until(() -> day.fake().pending() == 1);
    sending.countDown();
    await().until(() -> day.wakeups(robin).contains("reminder"));
    thinking.countDown();
    day.line().awaitTurn(robin, 4);
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt");
    assertThat(day.state(robin)).doesNotContainKey("dailyPromptPending");
    assertThat(successes(robin)).isEqualTo(1);
  }

  @Test
  void aReplyCountsAlsoWhenTheModelFails() {
    var robin = day.prompted();
    day.fake().then(Scripted.status(400));
    assertThat(day.line().answered(robin, "Done")).containsEntry("status", "failed");
    assertThat(successes(robin)).isEqualTo(1);
    assertThat(day.state(robin)).containsKey("dailyPromptRespondedAt");
  }

  @Test
  void aReplyIsAReplyEvenIfTheProfileCannotBeRead() {
    var robin = day.prompted();
    day.line()
        .write(
            "UPDATE state_data SET data_value = '{' WHERE participant_id = ? AND data_key = 'userProfile'",
            robin.id());
    day.at("09:31");
    day.line().answered(robin, "Done");
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt");
    assertThat(day.occurrence(robin, day.today()))
        .containsEntry("pending", false)
        .containsEntry("outcome", "done");
  }

  private static @Nullable Object outcome(Participant robin) {
    return day.occurrence(robin, day.today()).get("outcome");
  }

  private static List<String> changes(Participant robin) {
    return day.line()
        .column(
            "SELECT concat(coalesce(old_outcome, 'unknown'), ' -> ', new_outcome, ', ', recorded_by, ', turn ', turn)"
                + " FROM outcome_change WHERE participant_id = ? ORDER BY seq",
            robin.id());
  }

  private static Scripted record(String arguments) {
    return Scripted.call("record_outcome", arguments);
  }

  @ParameterizedTest
  @CsvSource({
    "did it!, done",
    "¡Hecho!, done",
    "did half, partly",
    "Next time, not_done",
    "no lo hice, not_done",
    "it rained, ",
    "not yet, "
  })
  void theFirstReplyToThePromptIsReadInBothLanguages(String reply, @Nullable String outcome) {
    var robin = day.prompted();
    day.line().answered(robin, reply);
    assertThat(outcome(robin)).isEqualTo(outcome);
    assertThat(successes(robin)).isEqualTo("done".equals(outcome) ? 1 : 0);
    assertThat(changes(robin))
        .isEqualTo(
            outcome == null ? List.of() : List.of("unknown -> " + outcome + ", rule, turn 4"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"no", "Yes", "👍🏽", "not today", "a bit"})
  void aShortWordIsNoOutcomeIfTheIntensityWasAskedLast(String reply) {
    var robin = day.prompted();
    assertThat(day.texts(robin, "intensity")).hasSize(1);
    day.line().answered(robin, reply);
    assertThat(outcome(robin)).isNull();
  }

  @Test
  void wordsAfterAnythingElseAreNoOutcomeButTheQuickRepliesAre() {
    var robin = day.prompted();
    day.line().answered(robin, "what do you mean?");
    day.line().answered(robin, "yes");
    day.line().answered(robin, "did it");
    assertThat(outcome(robin)).as("the coach asked something else").isNull();
    day.line().answered(robin, "Done");
    assertThat(outcome(robin)).isEqualTo("done");

    var sam = day.prompted();
    day.line()
        .bean(Takeover.class)
        .write(day.now(sam), "Are you at home?", "Kim", OutboundKind.STAFF);
    // Only what was sent can have been read.
    await()
        .until(() ->
            day.line()
                .rows("SELECT id FROM outbox WHERE participant_id = ? AND open = TRUE", sam.id())
                .isEmpty());
    day.line().answered(sam, "did it");
    assertThat(day.occurrence(sam, day.tomorrow())).containsEntry("outcome", null);
  }

  @Test
  void wordsAboutAPromptThatIsTriedInTheConversationAreNoOutcome() {
    var robin = day.prompted();
    day.fake()
        .then(
            PromptDay.generate("immediate"),
            Scripted.say(PromptDay.PROMPT),
            Scripted.say(PromptDay.PROMPT));
    day.line().answered(robin, "can I try one now?");
    assertThat(day.texts(robin, "prompt_now")).hasSize(1);
    day.line().answered(robin, "Done");
    assertThat(outcome(robin)).isNull();
    assertThat(successes(robin)).isZero();
  }

  @Test
  void theCoachCorrectsAnOutcomeAndEveryChangeIsLogged() {
    var robin = day.prompted();
    day.line().answered(robin, "Done");
    assertThat(successes(robin)).isEqualTo(1);
    day.line().answered(robin, "Next time");
    assertThat(outcome(robin)).as("a reply to another question of the coach").isEqualTo("done");
    day.fake()
        .then(
            record("{\"occurrence\":null,\"outcome\":\"not_done\",\"note\":\"mixed up the days\"}"),
            Scripted.say("Thanks for telling me."));
    day.line().answered(robin, "actually I didn't");
    assertThat(day.fake().asked().getLast().texts("tool"))
        .last()
        .asString()
        .contains("\"outcome\":\"not_done\",\"outcome_before\":\"done\"");
    assertThat(outcome(robin)).isEqualTo("not_done");
    assertThat(successes(robin)).isZero();
    day.line().answered(robin, "did it");
    assertThat(outcome(robin)).isEqualTo("not_done");
    day.line().answered(robin, "Done");
    assertThat(successes(robin)).isEqualTo(1);
    assertThat(changes(robin))
        .containsExactly(
            "unknown -> done, rule, turn 4",
            "done -> not_done, model, turn 6",
            "not_done -> done, rule, turn 8");
    assertThat(
            day.line()
                .column(
                    "SELECT note FROM outcome_change WHERE participant_id = ? AND note IS NOT NULL",
                    robin.id()))
        .containsExactly("mixed up the days");
  }

  @Test
  void whatTheRuleRecordedTheCoachSeesAndNeedNotRecord() {
    var robin = day.prompted();
    day.fake()
        .then(
            record("{\"occurrence\":null,\"outcome\":\"done\",\"note\":null}"),
            Scripted.say("Well done."));
    day.line().answered(robin, "Done");
    var asked = day.fake().asked().getLast();
    assertThat(asked.texts("system").getLast()).contains("Daily prompt: sent ", ", done");
    assertThat(asked.texts("tool")).last().asString().contains("noop");
    assertThat(changes(robin)).hasSize(1);
    assertThat(successes(robin)).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"occurrence\":\"2020-01-01\",\"outcome\":\"done\",\"note\":null} | no daily prompt on this date",
        "{\"occurrence\":\"TOMORROW\",\"outcome\":\"done\",\"note\":null} | was not sent",
        "{\"occurrence\":null,\"outcome\":\"maybe\",\"note\":null} | not one of the valid values",
      })
  void anOutcomeThatCannotBeRecordedSaysWhyAndChangesNothing(String arguments, String why) {
    var robin = day.prompted();
    day.fake().then(record(arguments.replace("TOMORROW", day.tomorrow())), Scripted.say("I see."));
    day.line().answered(robin, "hm");
    assertThat(day.fake().asked().getLast().texts("tool"))
        .last()
        .asString()
        .contains("\"status\":\"error\"", why, "valid_values");
    assertThat(outcome(robin)).isNull();
    assertThat(changes(robin)).isEmpty();
  }

  @Test
  void theCoachMaySayThatWhatAnyoneCanReadIsNoted() {
    var robin = day.scheduled("09:30");
    day.turnAt(robin, "09:30");
    day.fake().forget();
    day.fake().then(Scripted.say("Well done, I've noted that."));
    day.line().answered(robin, "Done");
    assertThat(day.fake().asked()).hasSize(1);
    assertThat(day.line().phone(robin)).last().isEqualTo("Well done, I've noted that.");
  }

  @Test
  void theToolIsOfferedOnceAPromptWasSent() {
    var robin = day.scheduled("09:30");
    day.line().answered(robin, "hello");
    assertThat(tools()).contains("save_user_profile").doesNotContain("record_outcome");
    day.fake()
        .then(
            record("{\"occurrence\":null,\"outcome\":\"done\",\"note\":null}"),
            Scripted.say("I see."));
    day.line().answered(robin, "did it");
    assertThat(day.fake().asked().getLast().texts("tool"))
        .last()
        .asString()
        .contains("There is no tool of this name here.");
    day.turnAt(robin, "09:30");
    day.line().answered(robin, "hello");
    assertThat(tools()).contains("record_outcome");
  }

  private static List<String> tools() {
    return day.fake().asked().getLast().body().path("tools").findValuesAsText("name");
  }
}
