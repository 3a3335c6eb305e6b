package org.habitline.conversation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.habitline.RunningLine;
import org.habitline.flows.FlowCatalog;
import org.habitline.flows.FlowTexts;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.StrictFakeServer;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantChange;
import org.habitline.participants.ParticipantStatus;
import org.habitline.participants.Participants;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** No text to anyone who said STOP, is paused, done or withdrawn, but the few that are due. */
final class OptOutTest {

  private static RunningLine line;
  private static StrictFakeServer fake;
  private static FlowTexts texts;

  @BeforeAll
  static void start() {
    line = RunningLine.in(OptOutTest.class).start();
    fake = line.fake();
    texts = line.bean(FlowCatalog.class).defaultFlow().texts();
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  @AfterEach
  void forget() {
    fake.forget();
  }

  private static void becomes(Participant participant, ParticipantStatus status) {
    line.bean(Participants.class).update(participant.id(), ParticipantChange.ofStatus(status));
  }

  private static void notForTheCoach(Participant participant, String text, String reason) {
    assertThat(line.answered(participant, text))
        .containsEntry("status", "done")
        .containsEntry("outcome", "not_for_the_coach")
        .containsEntry("reason", reason);
    assertThat(fake.asked()).isEmpty();
    assertThat(line.transcript(participant)).contains("user: " + text);
  }

  private static List<String> afterTheGreeting(Participant participant) {
    var all = line.phone(participant);
    return all.subList(1, all.size());
  }

  private static boolean optedOut(Participant participant) {
    return line.bean(Participants.class).find(participant.id()).orElseThrow().optedOut();
  }

  @ParameterizedTest
  @ValueSource(strings = {"STOP", "stop.", "Unsubscribe", "QUIT!"})
  void whoSaysStopHearsNothingMore(String stop) {
    var robin = line.greeted();
    notForTheCoach(robin, stop, "the participant opted out");
    assertThat(optedOut(robin)).isTrue();
    notForTheCoach(robin, "are you there?", "the participant opted out");
    assertThat(afterTheGreeting(robin)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"START", "unstop", "Yes"})
  void anExplicitStartBringsBack(String start) {
    var robin = line.greeted();
    line.answered(robin, "STOP");
    notForTheCoach(robin, start, "no text was for the coach");
    assertThat(optedOut(robin)).isFalse();
    fake.then(Scripted.say("Welcome back."));
    line.answered(robin, "hello again");
    assertThat(afterTheGreeting(robin)).containsExactly("Welcome back.");
  }

  @Test
  void yesAndStartAreForTheCoachWhenNobodyOptedOut() {
    var robin = line.greeted();
    assertThat(line.answered(robin, "yes")).containsEntry("outcome", "replied");
    assertThat(line.answered(robin, "start")).containsEntry("outcome", "replied");
    assertThat(fake.asked().getLast().lastUserText()).isEqualTo("start");
  }

  @Test
  void anyOtherTextDoesNotBringBack() {
    var robin = line.greeted();
    line.answered(robin, "STOP");
    notForTheCoach(robin, "ok start again please", "the participant opted out");
    assertThat(optedOut(robin)).isTrue();
  }

  @Test
  void startDoesNotReviveWhoWasWithdrawn() {
    var robin = line.greeted();
    line.answered(robin, "STOP");
    becomes(robin, ParticipantStatus.WITHDRAWN);
    line.answered(robin, "START");
    assertThat(optedOut(robin)).isTrue();
    assertThat(afterTheGreeting(robin)).isEmpty();
  }

  @Test
  void helpIsAnsweredByTheLineItself() {
    var robin = line.greeted();
    notForTheCoach(robin, "HELP", "no text was for the coach");
    assertThat(afterTheGreeting(robin)).containsExactly(texts.help());
  }

  @Test
  void helpIsAnsweredAfterStopToo() {
    var robin = line.greeted();
    line.answered(robin, "STOP");
    notForTheCoach(robin, "info", "the participant opted out");
    assertThat(afterTheGreeting(robin)).containsExactly(texts.help());
    assertThat(optedOut(robin)).isTrue();
  }

  @Test
  void aRevocationInFreeWordsIsConfirmedOnce() {
    var robin = line.greeted();
    notForTheCoach(robin, "Please stop texting me", "the participant opted out");
    assertThat(optedOut(robin)).isTrue();
    notForTheCoach(robin, "I said stop texting me!", "the participant opted out");
    notForTheCoach(robin, "leave me alone", "the participant opted out");
    assertThat(afterTheGreeting(robin)).containsExactly(texts.optOutConfirmation());
  }

  @Test
  void aRevocationAfterStopIsNotConfirmed() {
    var robin = line.greeted();
    line.answered(robin, "STOP");
    line.answered(robin, "please stop texting me");
    assertThat(afterTheGreeting(robin)).isEmpty();
  }

  @Test
  void theRevocationOfSomeoneWhoCameBackIsConfirmedAgain() {
    var robin = line.greeted();
    line.answered(robin, "please stop texting me");
    line.answered(robin, "START");
    line.answered(robin, "please stop texting me");
    assertThat(afterTheGreeting(robin))
        .containsExactly(texts.optOutConfirmation(), texts.optOutConfirmation());
  }

  @Test
  void aRepeatedRevocationDoesNotUndoAStart() {
    var robin = line.greeted();
    line.text(robin, "please stop texting me", "SM-revoked");
    line.awaitTurn(robin, 2);
    line.answered(robin, "START");
    line.text(robin, "please stop texting me", "SM-revoked");
    assertThat(optedOut(robin)).isFalse();
  }

  private static CountDownLatch holding(Participant participant, String text) {
    var latch = new CountDownLatch(1);
    var before = fake.asked().size();
    fake.then(Scripted.say("At last.").heldBy(latch));
    line.text(participant, text);
    await().pollInterval(Duration.ofMillis(5)).until(() -> fake.asked().size() > before);
    return latch;
  }

  private static String refusal(Participant participant, int turn) {
    return line.rows(
            "SELECT status, reason FROM outbox WHERE participant_id = ? AND turn = ?",
            participant.id(),
            turn)
        .toString();
  }

  @Test
  void aStopWhileATurnRunsKeepsItsReplyBack() {
    var robin = line.greeted();
    var latch = holding(robin, "hello");
    line.text(robin, "STOP");
    latch.countDown();
    line.awaitTurn(robin, 3);
    assertThat(line.turn(robin, 2).orElseThrow()).containsEntry("outcome", "replied");
    assertThat(afterTheGreeting(robin)).isEmpty();
    assertThat(refusal(robin, 2)).contains("refused", "opted out");
  }

  @Test
  void anOptOutWhileTheCoachDecidesTheSameIsConfirmedOnce() {
    var robin = line.greeted();
    var latch = new CountDownLatch(1);
    var before = fake.asked().size();
    fake.then(Scripted.call("opt_out", "{\"confirmation_text\":\"Goodbye.\"}").heldBy(latch));
    line.text(robin, "this is getting a bit much for me");
    await().pollInterval(Duration.ofMillis(5)).until(() -> fake.asked().size() > before);
    line.text(robin, "please stop texting me");
    latch.countDown();
    line.awaitTurn(robin, 3);
    assertThat(line.turn(robin, 2).orElseThrow())
        .containsEntry("outcome", "not_for_the_coach")
        .containsEntry("reason", "the participant opted out while the turn was running");
    assertThat(optedOut(robin)).isTrue();
    assertThat(afterTheGreeting(robin)).containsExactly(texts.optOutConfirmation());
  }

  @Test
  void aPauseWhileATurnRunsKeepsItsReplyBack() {
    var robin = line.greeted();
    var latch = holding(robin, "hello");
    becomes(robin, ParticipantStatus.PAUSED);
    latch.countDown();
    line.awaitTurn(robin, 2);
    assertThat(afterTheGreeting(robin)).isEmpty();
    assertThat(refusal(robin, 2)).contains("refused", "paused");
  }

  @Test
  void whoIsPausedIsToldSoOnceUntilTheyAreActiveAgain() {
    var robin = line.greeted();
    becomes(robin, ParticipantStatus.PAUSED);
    notForTheCoach(robin, "hello", "the participant is paused");
    notForTheCoach(robin, "hello?", "the participant is paused");
    assertThat(afterTheGreeting(robin)).containsExactly(String.valueOf(texts.paused()));
    becomes(robin, ParticipantStatus.ACTIVE);
    fake.then(Scripted.say("Here again."));
    line.answered(robin, "hello");
    becomes(robin, ParticipantStatus.PAUSED);
    line.answered(robin, "hello");
    assertThat(afterTheGreeting(robin))
        .containsExactly(
            String.valueOf(texts.paused()), "Here again.", String.valueOf(texts.paused()));
  }

  @Test
  void whoIsDoneIsToldSoOnce() {
    var robin = line.greeted();
    becomes(robin, ParticipantStatus.COMPLETED);
    notForTheCoach(robin, "hello", "the participant is completed");
    notForTheCoach(robin, "hello?", "the participant is completed");
    assertThat(afterTheGreeting(robin)).containsExactly(String.valueOf(texts.completed()));
  }

  @Test
  void whoWithdrewHearsNothing() {
    var robin = line.greeted();
    becomes(robin, ParticipantStatus.WITHDRAWN);
    notForTheCoach(robin, "hello", "the participant is withdrawn");
    assertThat(afterTheGreeting(robin)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = ParticipantStatus.class,
      names = {"PAUSED", "COMPLETED"})
  void whoOptedOutIsNotToldTheirStatus(ParticipantStatus status) {
    var robin = line.greeted();
    line.answered(robin, "STOP");
    becomes(robin, status);
    notForTheCoach(robin, "hello", "the participant opted out");
    assertThat(afterTheGreeting(robin)).isEmpty();
  }

  @Test
  void helpInABurstIsAnsweredBesideTheCoach() {
    var robin = line.greeted();
    var latch = holding(robin, "hold on");
    line.text(robin, "HELP");
    line.text(robin, "how do I begin?");
    fake.then(Scripted.say("With one minute."));
    latch.countDown();
    line.awaitTurn(robin, 3);
    assertThat(afterTheGreeting(robin))
        .containsExactly("At last.", texts.help(), "With one minute.");
    assertThat(fake.asked().getLast().texts("user")).endsWith("hold on", "how do I begin?");
    assertThat(line.transcript(robin))
        .containsSubsequence(
            "user: HELP",
            "user: how do I begin?",
            "assistant: " + texts.help(),
            "assistant: With one minute.");
  }
}
