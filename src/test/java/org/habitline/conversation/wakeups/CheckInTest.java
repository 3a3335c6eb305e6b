package org.habitline.conversation.wakeups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import org.habitline.SqlCounts;
import org.habitline.conversation.wakeups.PromptDay.Departure;
import org.habitline.llm.openai.Scripted;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whoever stays silent after a prompt to be tried right now is asked twice how it went. */
final class CheckInTest {

  private static PromptDay day;

  @BeforeAll
  static void start() {
    day = PromptDay.of(CheckInTest.class, setup -> setup.bean(new SqlCounts()));
  }

  @AfterAll
  static void stop() {
    day.close();
  }

  @BeforeEach
  void begin() {
    day.begin();
  }

  /** Somebody who tries a prompt right now, at this time. */
  private Participant trying(ChannelKind channel, String time) {
    var robin = day.greeted(channel);
    day.at(time);
    day.fake()
        .then(
            PromptDay.profile(),
            PromptDay.generate("immediate"),
            Scripted.say(PromptDay.PROMPT),
            Scripted.say(PromptDay.PROMPT));
    day.line().answered(robin, "now please");
    day.fake().forget();
    return robin;
  }

  private Participant trying() {
    return trying(ChannelKind.SIMULATOR, "10:00");
  }

  private void notAskedAgain(Participant robin) {
    assertThat(day.state(robin))
        .containsEntry("feedbackState", "completed")
        .doesNotContainKeys("feedbackTimerID", "feedbackFollowupTimerID");
    assertThat(day.wakeups(robin)).doesNotContain("check_in", "follow_up");
  }

  /** The conversation is read for a turn, then it changes and the timer rings. */
  @Test
  void aCheckInSeesWhatBecameOfTheConversationBeforeItRang() {
    var robin = trying();
    var set = "UPDATE participant_state SET feedback_state = ? WHERE participant_id = ?";
    day.line().write(set, "completed", robin.id());
    var rung =
        "SELECT * FROM inbox WHERE participant_id = ? AND kind = 'woke' AND status = 'waiting'";
    day.line()
        .bean(SqlCounts.class)
        .before(
            "SELECT * FROM inbox WHERE participant_id",
            () ->
                !day.line().rows(rung, robin.id()).isEmpty()
                    && day.line().write(set, "waiting_initial", robin.id()) == 1);
    assertThat(day.turnAt(robin, "10:15")).containsEntry("outcome", "woke");
  }

  @ParameterizedTest
  @EnumSource(
      value = ChannelKind.class,
      names = {"SMS", "SIMULATOR"})
  void whoeverWroteWithinTheHourIsAwakeAndNobodyElseIsAskedByNight(ChannelKind channel) {
    var robin = trying(channel, "21:30");
    assertThat(day.turnAt(robin, "21:45")).containsEntry("outcome", "woke");
    day.line().awaitRest(robin);
    assertThat(
            day.line()
                .column(
                    "SELECT status FROM outbox WHERE participant_id = ? AND kind = 'check_in'",
                    robin.id()))
        .hasSize(1)
        .doesNotContain("refused");
    assertThat(day.turnAt(robin, "00:45"))
        .containsEntry("outcome", "dropped")
        .extractingByKey("reason")
        .asString()
        .contains("outside the allowed hours");
    notAskedAgain(robin);
  }

  @Test
  void aCheckInThatIsHoursLateIsTheLast() {
    var robin = trying();
    assertThat(day.turnAt(robin, "12:16"))
        .containsEntry("outcome", "dropped")
        .containsEntry("reason", "it was more than 2 h late");
    notAskedAgain(robin);
  }

  @Test
  void aToolThatIsNotOfferedInThisTurnIsRefusedLikeAnUnknownOne() {
    var robin = trying();
    day.fake()
        .then(
            Scripted.call("opt_out", "{\"confirmation_text\":\"START brings you back.\"}"),
            Scripted.say("Did you get to try it?"));
    day.turnAt(robin, "10:15");
    assertThat(day.fake().asked().getLast().texts("tool"))
        .last()
        .asString()
        .contains("There is no tool of this name here.", "valid_values", "set_language")
        .doesNotContain("opt_out");
    assertThat(day.line().phone(robin)).last().isEqualTo("Did you get to try it?");
    assertThat(day.texts(robin, "confirmation")).isEmpty();
    assertThat(day.line().bean(Participants.class).find(robin.id()).orElseThrow().optedOut())
        .as("nobody asked for an end of messages")
        .isFalse();
  }

  @Test
  void whoeverStaysSilentIsAskedTwiceAndThenLeftAlone() {
    var robin = trying();
    assertThat(day.line().phone(robin)).last().isEqualTo(PromptDay.PROMPT);
    assertThat(day.wakeups(robin)).containsExactly("check_in");
    assertThat(day.state(robin))
        .containsEntry("feedbackState", "waiting_initial")
        .containsEntry("feedbackTimerID", day.wakeupId(robin, "check_in"))
        .doesNotContainKeys("feedbackFollowupTimerID", "dailyPromptPending", "lastPromptSentAt");
    assertThat(day.ringsAt("10:14")).isZero();

    day.fake().then(Scripted.say("Did you get to try it?"));
    assertThat(day.turnAt(robin, "10:15"))
        .containsEntry("kind", "woke")
        .containsEntry("outcome", "woke");
    assertThat(day.fake().asked().getLast().event()).contains("has not replied");
    assertThat(day.fake().asked().getLast().lastUserText()).isEqualTo("(continue)");
    assertThat(day.fake().asked().getLast().body().path("tools").findValuesAsText("name"))
        .as("nobody asked for an end of messages")
        .contains("set_language")
        .doesNotContain("opt_out");
    assertThat(day.line().phone(robin)).last().isEqualTo("Did you get to try it?");
    assertThat(day.wakeups(robin)).containsExactly("follow_up");
    assertThat(day.state(robin))
        .containsEntry("feedbackState", "followup_sent")
        .containsEntry("feedbackFollowupTimerID", day.wakeupId(robin, "follow_up"))
        .doesNotContainKey("feedbackTimerID");
    assertThat(day.ringsAt("13:14")).isZero();

    day.fake().then(Scripted.say("No hurry."));
    assertThat(day.turnAt(robin, "13:15")).containsEntry("outcome", "woke");
    assertThat(day.fake().asked().getLast().event()).contains("once more");
    assertThat(day.line().phone(robin)).last().isEqualTo("No hurry.");
    notAskedAgain(robin);
    assertThat(day.ringsAt("23:00")).isZero();
    assertThat(day.texts(robin, "check_in")).containsExactly("Did you get to try it?", "No hurry.");
    assertThat(day.line().transcript(robin))
        .filteredOn(row -> row.startsWith("user: "))
        .containsExactly("user: now please");
  }

  @Test
  void theNextModelKnowsWhatWasAskedAndNotWhatItWasTold() {
    var robin = trying();
    day.fake().then(Scripted.say("Did you get to try it?"));
    day.turnAt(robin, "10:15");
    day.line().answered(robin, "yes, it was nice");
    var asked = day.fake().asked().getLast();
    assertThat(asked.texts("assistant")).endsWith(PromptDay.PROMPT, "Did you get to try it?");
    assertThat(asked.texts("user")).containsExactly("now please", "yes, it was nice");
  }

  @Test
  void aReplyBeforeTheFirstQuestionEndsIt() {
    var robin = trying();
    day.line().answered(robin, "that was nice");
    notAskedAgain(robin);
    assertThat(day.wakeup(robin, "check_in"))
        .containsEntry("status", "cancelled")
        .containsEntry("reason", "the participant replied");
    assertThat(day.ringsAt("22:00")).isZero();
    assertThat(day.texts(robin, "check_in")).isEmpty();
  }

  @Test
  void aReplyBetweenTheQuestionsEndsIt() {
    var robin = trying();
    day.turnAt(robin, "10:15");
    day.line().answered(robin, "that was nice");
    notAskedAgain(robin);
    assertThat(day.wakeup(robin, "follow_up")).containsEntry("status", "cancelled");
    assertThat(day.ringsAt("22:00")).isZero();
    assertThat(day.texts(robin, "check_in")).hasSize(1);
  }

  @Test
  void aReplyThatWaitsBehindTheQuestionIsWorthMore() {
    var robin = trying();
    day.busy(
        robin,
        () -> {
          assertThat(day.ringsAt("10:15")).isOne();
          day.line().text(robin, "that was nice");
        });
    assertThat(day.line().awaitTurn(robin, 3))
        .containsEntry("outcome", "dropped")
        .containsEntry("reason", "a text is waiting for a reply");
    day.line().awaitTurn(robin, 4);
    notAskedAgain(robin);
    assertThat(day.texts(robin, "check_in")).isEmpty();
  }

  @Test
  void aReplyThatCameBeforeTheQuestionRangIsAnsweredInstead() {
    var robin = trying();
    day.busy(
        robin,
        () -> {
          day.line().text(robin, "that was nice");
          assertThat(day.ringsAt("10:15")).isOne();
        });
    assertThat(day.line().awaitTurn(robin, 4))
        .containsEntry("kind", "woke")
        .containsEntry("outcome", "dropped");
    notAskedAgain(robin);
    assertThat(day.texts(robin, "check_in")).isEmpty();
  }

  @Test
  void aReplyWhileTheQuestionIsWrittenEndsIt() {
    var robin = trying();
    var held = new CountDownLatch(1);
    day.fake().then(Scripted.say("Did you get to try it?").heldBy(held));
    day.ringsAt("10:15");
    await().until(() -> day.fake().pending() == 1);
    day.line().text(robin, "that was nice");
    held.countDown();
    day.line().awaitTurn(robin, 4);
    notAskedAgain(robin);
    assertThat(day.ringsAt("22:00")).isZero();
    assertThat(day.texts(robin, "check_in")).containsExactly("Did you get to try it?");
  }

  @Test
  void outsideTheAllowedHoursNobodyIsAskedAgain() {
    var robin = trying(ChannelKind.SMS, "18:00");
    assertThat(day.turnAt(robin, "18:15")).containsEntry("outcome", "woke");
    assertThat(day.turnAt(robin, "21:15")).containsEntry("outcome", "dropped");
    notAskedAgain(robin);
    assertThat(day.texts(robin, "check_in")).hasSize(1);
  }

  @Test
  void aDailyPromptEndsIt() {
    var robin = trying();
    day.fake().then(PromptDay.fixed("10:30"), PromptDay.generate("immediate"));
    day.fake().then(Scripted.say(PromptDay.PROMPT), Scripted.say(PromptDay.PROMPT));
    day.at("10:20");
    day.line().answered(robin, "again, and at 10:30 every day");
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt", "check_in");
    day.turnAt(robin, "10:30");
    notAskedAgain(robin);
    assertThat(day.wakeup(robin, "check_in"))
        .containsEntry("status", "cancelled")
        .containsEntry("reason", "a daily prompt was sent");
    day.turnAt(robin, "10:35");
    assertThat(day.texts(robin, "check_in")).isEmpty();
  }

  @Test
  void aPromptThatIsTakenAfterADailyPromptIsNotAskedAbout() {
    var robin = day.scheduled(ChannelKind.SMS, "09:30");
    var held = new CountDownLatch(1);
    day.sms().then(robin, message -> PromptDay.after(held, message));
    day.fake()
        .then(
            PromptDay.generate("immediate"),
            Scripted.say("Breathe now."),
            Scripted.say("Breathe now."));
    day.line().text(robin, "now please");
    await().until(() -> day.sms().attempts(robin, "Breathe now.") == 1);
    day.ringsAt("09:30");
    await().until(() -> day.texts(robin, "prompt").size() == 1);
    held.countDown();
    day.line().awaitTurn(robin, 4);
    assertThat(day.wakeups(robin)).containsExactly("auto_feedback", "reminder", "daily_prompt");
    assertThat(day.state(robin)).doesNotContainKeys("feedbackState", "feedbackTimerID");
  }

  @Test
  void aNewerPromptIsAskedAboutFifteenMinutesLater() {
    var robin = trying();
    day.at("10:10");
    day.fake()
        .then(
            PromptDay.generate("immediate"),
            Scripted.say(PromptDay.PROMPT),
            Scripted.say(PromptDay.PROMPT));
    day.line().answered(robin, "another one");
    assertThat(day.wakeups(robin)).containsExactly("check_in");
    assertThat(day.ringsAt("10:24")).isZero();
    assertThat(day.turnAt(robin, "10:25")).containsEntry("outcome", "woke");
  }

  @Test
  void aPromptTheProviderRefusesIsNotAskedAbout() {
    var robin = day.greeted(ChannelKind.SMS);
    day.sms().refuse(robin, "unreachable");
    day.fake()
        .then(
            PromptDay.profile(),
            PromptDay.generate("immediate"),
            Scripted.say(PromptDay.PROMPT),
            Scripted.say(PromptDay.PROMPT));
    day.line().answered(robin, "now please");
    assertThat(day.wakeups(robin)).isEmpty();
    assertThat(day.state(robin)).doesNotContainKeys("feedbackState", "feedbackTimerID");
  }

  @Test
  void aQuestionTheProviderRefusesIsTheLast() {
    var robin = trying(ChannelKind.SMS, "10:00");
    day.sms().refuse(robin, "unreachable");
    day.turnAt(robin, "10:15");
    notAskedAgain(robin);
    assertThat(day.ringsAt("20:00")).isZero();
  }

  @Test
  void ifTheModelCannotAskTheFlowDoes() {
    var robin = trying();
    day.fake().then(Scripted.status(400));
    assertThat(day.turnAt(robin, "10:15"))
        .containsEntry("status", "failed")
        .containsEntry("outcome", "model_failed");
    day.fake().then(Scripted.status(400));
    assertThat(day.turnAt(robin, "13:15")).containsEntry("status", "failed");
    assertThat(day.texts(robin, "check_in"))
        .containsExactly(
            "How did your one minute go?",
            "No hurry: whenever you like, tell me how your one minute went.");
    notAskedAgain(robin);
  }

  @ParameterizedTest
  @EnumSource(
      value = Departure.class,
      names = {"PAUSED", "COMPLETED", "WITHDRAWN", "STOP"})
  void aQuestionThatRangIsDroppedForWhoLeftBeforeItsTurn(Departure how) {
    var robin = trying();
    day.busy(
        robin,
        () -> {
          assertThat(day.ringsAt("10:15")).isOne();
          day.departs(robin, how);
        });
    var why = how == Departure.STOP ? "opted out" : "is " + how.name().toLowerCase(Locale.ROOT);
    assertThat(day.line().awaitTurn(robin, 3))
        .containsEntry("outcome", "dropped")
        .containsEntry("reason", "the participant " + why);
    assertThat(day.texts(robin, "check_in")).isEmpty();
    assertThat(day.wakeups(robin)).isEmpty();
  }
}
