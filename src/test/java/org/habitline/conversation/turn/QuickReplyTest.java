package org.habitline.conversation.turn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.CountDownLatch;
import org.habitline.conversation.wakeups.PromptDay;
import org.habitline.llm.openai.Scripted;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a reply to a prompt means by itself, whatever a model makes of it. */
@Tag("database-deep")
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
}
