package org.habitline.conversation.wakeups;

import static org.assertj.core.api.Assertions.assertThat;

import org.habitline.conversation.wakeups.PromptDay.Departure;
import org.habitline.participants.ChannelKind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A while after a prompt went out the feedback module answers, unless it was not needed. */
final class AutoFeedbackTest {

  private static PromptDay day;

  @BeforeAll
  static void start() {
    day = PromptDay.of(AutoFeedbackTest.class);
  }

  @AfterAll
  static void stop() {
    day.close();
  }

  @BeforeEach
  void begin() {
    day.begin();
  }

  @Test
  void afterAPromptTheFeedbackModuleAnswersAndNothingIsSaid() {
    var robin = day.prompted();
    var phone = day.line().phone(robin);
    assertThat(day.ringsAt("09:34")).isZero();
    assertThat(day.state(robin)).containsEntry("conversationState", "INTAKE");
    assertThat(day.turnAt(robin, "09:35"))
        .containsEntry("kind", "woke")
        .containsEntry("outcome", "woke");
    assertThat(day.state(robin))
        .containsEntry("conversationState", "FEEDBACK")
        .containsKey("dailyPromptPending")
        .doesNotContainKey("autoFeedbackTimerID");
    assertThat(day.line().phone(robin)).isEqualTo(phone);
    assertThat(day.wakeups(robin)).containsExactly("reminder", "daily_prompt");
    assertThat(day.wakeup(robin, "auto_feedback")).containsEntry("status", "done");
    assertThat(day.line().answered(robin, "Done")).containsEntry("module", "FEEDBACK");
  }

  @Test
  void itMovesAtNightToo() {
    var robin = day.scheduled(ChannelKind.SMS, "20:58");
    day.turnAt(robin, "20:58");
    assertThat(day.turnAt(robin, "21:03")).containsEntry("outcome", "woke");
    assertThat(day.state(robin)).containsEntry("conversationState", "FEEDBACK");
  }

  @Test
  void afterAReplyNobodyIsMoved() {
    var robin = day.prompted();
    day.line().answered(robin, "Done");
    assertThat(day.wakeup(robin, "auto_feedback"))
        .containsEntry("status", "cancelled")
        .containsEntry("reason", "the participant replied");
    assertThat(day.ringsAt("09:35")).isZero();
    assertThat(day.state(robin)).containsEntry("conversationState", "INTAKE");
  }

  @Test
  void aReplyThatWaitsBehindItIsEnough() {
    var robin = day.prompted();
    day.busy(
        robin,
        () -> {
          assertThat(day.ringsAt("09:35")).isOne();
          day.line().text(robin, "Done");
        });
    assertThat(day.line().awaitTurn(robin, 4))
        .containsEntry("outcome", "dropped")
        .containsEntry("reason", "the participant replied");
    assertThat(day.line().awaitTurn(robin, 5)).containsEntry("module", "INTAKE");
    assertThat(day.wakeup(robin, "auto_feedback")).containsEntry("status", "dropped");
  }

  @Test
  void whoIsInFeedbackAlreadyStaysThere() {
    var robin = day.scheduled("09:30");
    day.answered(robin, PromptDay.transition("FEEDBACK", "0"));
    day.turnAt(robin, "09:30");
    assertThat(day.turnAt(robin, "09:35"))
        .containsEntry("outcome", "dropped")
        .containsEntry("reason", "the participant is already in FEEDBACK");
    assertThat(day.state(robin)).containsEntry("conversationState", "FEEDBACK");
  }

  @Test
  void itDoesNotTakeADelayedTransitionBack() {
    var robin = day.scheduled("09:30");
    day.answered(robin, PromptDay.transition("INTAKE", "120"));
    day.turnAt(robin, "09:30");
    day.turnAt(robin, "09:35");
    assertThat(day.wakeups(robin)).containsExactly("transition", "reminder", "daily_prompt");
    day.turnAt(robin, "10:15");
    assertThat(day.state(robin)).containsEntry("conversationState", "INTAKE");
  }

  @ParameterizedTest
  @EnumSource(
      value = Departure.class,
      names = {"PAUSED", "COMPLETED", "WITHDRAWN", "STOP"})
  void whoLeftBeforeItsTurnIsNotMoved(Departure how) {
    var robin = day.prompted();
    day.busy(
        robin,
        () -> {
          assertThat(day.ringsAt("09:35")).isOne();
          day.departs(robin, how);
        });
    assertThat(day.line().awaitTurn(robin, 4)).containsEntry("outcome", "dropped");
    assertThat(day.state(robin)).containsEntry("conversationState", "INTAKE");
  }

  @Test
  void aStudyCanDoWithoutIt() {
    try (var without =
        PromptDay.of(
            AutoFeedbackTest.class,
            setup -> setup.with("auto-feedback.after-prompt-enabled", "false"))) {
      var robin = without.prompted();
      assertThat(without.wakeups(robin)).containsExactly("reminder", "daily_prompt");
      assertThat(without.state(robin)).doesNotContainKey("autoFeedbackTimerID");
      assertThat(without.ringsAt("09:35")).isZero();
      assertThat(without.state(robin)).containsEntry("conversationState", "INTAKE");
    }
  }
}
