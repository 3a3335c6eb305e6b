package org.habitline.conversation.takeover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.habitline.conversation.DebugMode;
import org.habitline.conversation.requests.RequestedPrompt;
import org.habitline.conversation.requests.RequestedPrompts;
import org.habitline.conversation.wakeups.PromptDay;
import org.habitline.llm.openai.Scripted;
import org.habitline.messaging.OutboundKind;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.storage.Transactions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Staff write, mute the coach, hand back, force a sub-state and look on with debug messages. */
final class TakeoverTest {

  private static final Duration HALF_AN_HOUR = Duration.ofMinutes(30);

  private static PromptDay day;

  @BeforeAll
  static void start() {
    day = PromptDay.of(TakeoverTest.class);
  }

  @AfterAll
  static void stop() {
    day.close();
  }

  @BeforeEach
  void begin() {
    day.begin();
    day.at("10:00");
  }

  private static Takeover staff() {
    return day.line().bean(Takeover.class);
  }

  private static DebugMode debug() {
    return day.line().bean(DebugMode.class);
  }

  private static Participant robin() {
    return day.greeted(ChannelKind.SIMULATOR);
  }

  private static void write(Participant participant, String text) {
    staff().write(day.now(participant), text, "Sam", OutboundKind.STAFF);
    await().until(() -> day.line().phone(participant).contains(text));
  }

  private static void muted(Participant participant) {
    staff().mute(participant.id(), HALF_AN_HOUR, "Sam");
  }

  /**
   * Returns how many debug messages there are after one more text. A look for work that began
   * before debug messages were switched on may still claim that text without them; every later text
   * has one.
   */
  private static int debugTextsSoFar(Participant participant) {
    day.line().answered(participant, "hello");
    return debugTexts(participant).size();
  }

  private static List<String> debugTexts(Participant participant) {
    return day.texts(participant, "debug");
  }

  @Test
  void whatAPersonWritesGoesOutStandsInTheTranscriptAndIsSeenByTheNextModel() {
    var robin = robin();
    write(robin, "This is Sam of the study team.");
    assertThat(
            day.line()
                .rows(
                    "SELECT * FROM message WHERE participant_id = ? ORDER BY seq DESC", robin.id()))
        .first()
        .satisfies(row ->
            assertThat(row)
                .containsEntry("author", "staff")
                .containsEntry("author_name", "Sam")
                .containsEntry("role", "assistant")
                .containsEntry("turn", 0));
    day.line().answered(robin, "hello Sam");
    assertThat(day.fake().asked().getLast().texts("assistant"))
        .last()
        .isEqualTo("This is Sam of the study team.");
  }

  @Test
  void aMutedCoachSaysNothingAndAnswersWhatIsLeftWhenTheTimeIsOver() {
    var robin = robin();
    muted(robin);
    assertThat(day.line().answered(robin, "is anybody there?"))
        .containsEntry("outcome", "not_for_the_coach")
        .containsEntry(
            "reason", "staff took over the conversation: automatic replies paused by Sam");
    assertThat(day.fake().asked()).isEmpty();

    day.fake().then(Scripted.say("I am back."));
    assertThat(day.turnAt(robin, "10:30"))
        .containsEntry("kind", "woke")
        .containsEntry("outcome", "woke");
    var asked = day.fake().asked().getLast();
    assertThat(asked.texts("user")).contains("is anybody there?");
    assertThat(asked.event()).contains("handed the conversation back");
    await().until(() -> day.line().phone(robin).contains("I am back."));
    assertThat(day.line().transcript(robin)).last().isEqualTo("assistant: I am back.");
    assertThat(staff().muted(robin.id())).isEmpty();
  }

  @Test
  void whatAPersonAnsweredIsNotAnsweredOnceMore() {
    var robin = robin();
    muted(robin);
    day.line().answered(robin, "is anybody there?");
    write(robin, "I am.");
    assertThat(day.turnAt(robin, "10:30"))
        .containsEntry("outcome", "dropped")
        .containsEntry("reason", "no text was left without a reply");
    assertThat(day.fake().asked()).isEmpty();
  }

  @Test
  void whatAScriptSendsMeanwhileAnswersNothing() {
    var robin = robin();
    muted(robin);
    day.line().answered(robin, "is anybody there?");
    var next = day.line().turns(robin) + 1;
    var transactions = day.line().bean(Transactions.class);
    transactions.write(() ->
        day.line()
            .bean(RequestedPrompts.class)
            .ask(robin, new RequestedPrompt.Static("Newsletter of the week"), "a script"));
    assertThat(day.line().awaitTurn(robin, next)).containsEntry("outcome", "asked");
    day.fake().then(Scripted.say("I am back."));
    assertThat(day.turnAt(robin, "10:30")).containsEntry("outcome", "woke");
    await().until(() -> day.line().phone(robin).contains("I am back."));
  }

  @Test
  void handedBackBeforeItsTimeTheCoachAnswersAtOnce() {
    var robin = robin();
    muted(robin);
    day.line().answered(robin, "is anybody there?");
    var next = day.line().turns(robin) + 1;
    assertThat(staff().handBack(robin.id())).isTrue();
    assertThat(staff().handBack(robin.id())).isFalse();
    day.sweep();
    assertThat(day.line().awaitTurn(robin, next)).containsEntry("outcome", "woke");
    assertThat(day.ringsAt("10:30")).isZero();
    assertThat(day.line().answered(robin, "good")).containsEntry("outcome", "replied");
  }

  @Test
  void aReplyThatIsBeingWrittenWhenStaffTakeOverIsNotSent() {
    var robin = robin();
    var held = new CountDownLatch(1);
    day.fake().then(Scripted.say("The coach's words.").heldBy(held));
    var next = day.line().turns(robin) + 1;
    day.line().text(robin, "hello?");
    await().until(() -> day.fake().pending() == 1);
    muted(robin);
    held.countDown();
    assertThat(day.line().awaitTurn(robin, next)).containsEntry("outcome", "taken_over");
    assertThat(day.line().transcript(robin)).last().isEqualTo("user: hello?");
    assertThat(day.texts(robin, "reply")).doesNotContain("The coach's words.");
  }

  @Test
  void aPromptThatIsBeingWrittenWhenStaffTakeOverIsMissed() {
    var robin = day.scheduled("10:10");
    var held = new CountDownLatch(1);
    day.fake().otherwise(asked -> Scripted.say(PromptDay.PROMPT).heldBy(held));
    var next = day.line().turns(robin) + 1;
    day.ringsAt("10:10");
    await().until(() -> day.fake().pending() == 1);
    muted(robin);
    held.countDown();
    assertThat(day.line().awaitTurn(robin, next)).containsEntry("outcome", "taken_over");
    assertThat(day.texts(robin, "prompt")).isEmpty();
    assertThat(day.occurrence(robin, day.today())).containsEntry("status", "missed");
    assertThat(day.occurrence(robin, day.tomorrow())).containsEntry("status", "planned");
  }

  @Test
  void aHelpDoesNotHideWhatIsLeftToBeAnswered() {
    var robin = robin();
    muted(robin);
    day.line().answered(robin, "I do not feel well");
    day.line().answered(robin, "HELP");
    assertThat(day.turnAt(robin, "10:30")).containsEntry("outcome", "woke");
  }

  @Test
  void whoeverWroteLongAgoIsNotAnsweredAtNightButByDay() {
    var robin = day.greeted(ChannelKind.SMS);
    day.at("19:30");
    staff().mute(robin.id(), Duration.ofHours(3), "Sam");
    day.line().text(robin, "is anybody there?");
    await().until(() -> day.line().transcript(robin).getLast().startsWith("user: "));
    assertThat(day.turnAt(robin, "22:30"))
        .containsEntry("outcome", "dropped")
        .asString()
        .contains("the coach replies within the allowed hours");
    assertThat(day.turnAt(robin, "08:00")).containsEntry("outcome", "woke");
  }

  @Test
  void aPromptThatFallsIntoAMuteIsMissedAndTheNextOneComes() {
    var robin = day.scheduled("10:10");
    muted(robin);
    assertThat(day.turnAt(robin, "10:10")).containsEntry("outcome", "dropped");
    assertThat(day.occurrence(robin, day.today()))
        .containsEntry("status", "missed")
        .containsEntry(
            "reason", "staff took over the conversation: automatic replies paused by Sam");
    assertThat(day.occurrence(robin, day.tomorrow())).containsEntry("status", "planned");
  }

  @Test
  void aStopOfTheParticipantCountsWhileStaffHoldTheConversation() {
    var robin = robin();
    muted(robin);
    day.line().answered(robin, "STOP");
    assertThat(day.now(robin).optedOut()).isTrue();
    assertThat(day.turnAt(robin, "10:30"))
        .containsEntry("outcome", "dropped")
        .containsEntry("reason", "the participant opted out");
    assertThat(day.fake().asked()).isEmpty();
  }

  @Test
  void aForcedSubStateAnswersNextAndTakesAPlannedMoveBack() {
    var robin = robin();
    day.answered(robin, PromptDay.transition("FEEDBACK", "30"));
    assertThat(day.wakeups(robin)).contains("transition");
    assertThat(staff().force(day.now(robin), "FEEDBACK", "Sam"))
        .isEqualTo(new Takeover.Forced.Done("INTAKE"));
    assertThat(staff().force(day.now(robin), "FEEDBACK", "Sam"))
        .isEqualTo(new Takeover.Forced.WasSo());
    assertThat(staff().force(day.now(robin), "NOWHERE", "Sam"))
        .isEqualTo(new Takeover.Forced.Unknown(List.of("INTAKE", "FEEDBACK")));
    assertThat(day.wakeups(robin)).doesNotContain("transition");
    assertThat(day.line().answered(robin, "hello")).containsEntry("module", "FEEDBACK");
  }

  @Test
  void aTurnThatRunsDoesNotUndoAForcedSubState() {
    var robin = robin();
    var held = new CountDownLatch(1);
    day.fake().then(Scripted.say("Let us see.").heldBy(held));
    var next = day.line().turns(robin) + 1;
    day.line().text(robin, "hello");
    await().until(() -> day.fake().pending() == 1);
    staff().force(day.now(robin), "FEEDBACK", "Sam");
    held.countDown();
    assertThat(day.line().awaitTurn(robin, next)).containsEntry("module", "INTAKE");
    assertThat(day.state(robin)).containsEntry("conversationState", "FEEDBACK");
    assertThat(day.line().answered(robin, "hello")).containsEntry("module", "FEEDBACK");
  }

  @Test
  void aTurnThatMovesOnDoesNotUndoAForcedSubState() {
    var robin = day.line().enrolInto("fitness");
    day.line().awaitTurn(robin, 1);
    day.line().awaitRest(robin);
    staff().force(day.now(robin), "GOAL_SETTING", "Sam");
    day.fake().forget();
    var held = new CountDownLatch(1);
    day.fake()
        .then(
            Scripted.call("save_user_profile", "{\"primary_goal\":\"fat_loss\"}"),
            PromptDay.transition("WORKOUT_PLANNING", "0"),
            Scripted.say("On we go.").heldBy(held));
    var next = day.line().turns(robin) + 1;
    day.line().text(robin, "I want to lose weight");
    await().until(() -> day.fake().asked().size() == 3);
    staff().force(day.now(robin), "DIET_PLANNING", "Sam");
    held.countDown();
    day.line().awaitTurn(robin, next);
    assertThat(day.line().phone(robin)).contains("On we go.");
    assertThat(day.state(robin)).containsEntry("conversationState", "DIET_PLANNING");
  }

  @Test
  void debugMessagesGoToWhomTheyWereSwitchedOnForAndToNobodyElse() {
    var robin = robin();
    var kim = robin();
    debug().on(robin.id(), Duration.ofHours(1), "Sam", "why so terse");
    var before = debugTextsSoFar(robin);
    day.answered(robin, PromptDay.transition("FEEDBACK", "0"));
    day.line().answered(kim, "hello");
    assertThat(debugTexts(robin))
        .hasSize(before + 1)
        .last()
        .asString()
        .startsWith("🐛 DEBUG: ")
        .contains("INTAKE → FEEDBACK", "transition_state success", "0 of 0 prompts done");
    assertThat(debugTexts(kim)).isEmpty();
    assertThat(day.line().transcript(robin)).noneMatch(it -> it.contains("DEBUG"));
    day.line().answered(robin, "more");
    assertThat(day.fake().asked().getLast().body().toString()).doesNotContain("DEBUG");
  }

  @Test
  void debugEndsWithItsTimeAndBeforeItWhenSwitchedOff() {
    var robin = robin();
    debug().on(robin.id(), Duration.ofHours(1), "Sam", null);
    var before = debugTextsSoFar(robin);
    day.line().answered(robin, "one");
    day.line().system().advance(Duration.ofMinutes(61));
    day.line().answered(robin, "two");
    assertThat(debugTexts(robin)).hasSize(before + 1);
    debug().on(robin.id(), Duration.ofHours(1), "Sam", null);
    before = debugTextsSoFar(robin);
    day.line().answered(robin, "three");
    assertThat(debug().off(robin.id(), "Kim")).isTrue();
    assertThat(debug().off(robin.id(), "Kim")).isFalse();
    assertThat(debugTexts(robin)).hasSize(before + 1);
    before = debugTextsSoFar(robin);
    day.line().answered(robin, "four");
    assertThat(debugTexts(robin)).hasSize(before);
    assertThat(debug().intervals(robin.id(), Long.MAX_VALUE, 10))
        .extracting(DebugMode.Interval::endedBy)
        .containsExactly("Kim", null);
  }

  @Test
  void debugForAllReachesEverybodyUntilItEnds() {
    var robin = robin();
    debug().on(DebugMode.ALL, Duration.ofHours(1), "Sam", null);
    var before = debugTextsSoFar(robin);
    day.line().answered(robin, "hello again");
    var during = debugTexts(robin).size();
    debug().off(DebugMode.ALL, "Sam");
    assertThat(during).isEqualTo(before + 1);
    var after = debugTextsSoFar(robin);
    day.line().answered(robin, "and again");
    assertThat(debugTexts(robin)).hasSize(after);
  }

  @Test
  void debugMessagesAreNoPromptAndEndNothing() {
    var robin = day.scheduled("10:10");
    debug().on(robin.id(), Duration.ofHours(1), "Sam", null);
    var before = debugTextsSoFar(robin);
    day.turnAt(robin, "10:10");
    await().until(() -> day.wakeups(robin).contains("reminder"));
    assertThat(day.profile(robin).path("total_prompts").asInt()).isEqualTo(1);
    assertThat(day.state(robin)).containsKey("dailyPromptPending");
    assertThat(debugTexts(robin)).hasSize(before + 1);
  }
}
