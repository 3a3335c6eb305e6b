package org.habitline.conversation.wakeups;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.habitline.conversation.wakeups.PromptDay.Departure;
import org.habitline.llm.openai.Scripted;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.ParticipantStatus;
import org.habitline.timers.Sweeps;
import org.habitline.timers.Timers;
import org.habitline.timers.WakeupKind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A move to another module that was asked for with a delay happens once, then. */
final class DelayedTransitionTest {

  private static PromptDay day;

  @BeforeAll
  static void start() {
    // Here a prompt to try now leaves the move to the tool.
    day =
        PromptDay.of(
            DelayedTransitionTest.class,
            setup ->
                setup.flow(yaml ->
                    yaml.replace(
                        "generate_habit_prompt: {then: FEEDBACK}", "generate_habit_prompt")));
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
  void itHappensOnceAndSaysNothing() {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    day.answered(robin, PromptDay.transition("FEEDBACK", "30"));
    assertThat(day.state(robin))
        .containsEntry("conversationState", "INTAKE")
        .containsEntry("stateTransitionTimerID", day.wakeupId(robin, "transition"));
    var phone = day.line().phone(robin);
    assertThat(day.ringsAt("08:44")).isZero();
    assertThat(day.turnAt(robin, "08:45"))
        .containsEntry("kind", "woke")
        .containsEntry("outcome", "woke");
    assertThat(day.state(robin))
        .containsEntry("conversationState", "FEEDBACK")
        .doesNotContainKey("stateTransitionTimerID");
    assertThat(day.line().phone(robin)).isEqualTo(phone);
    assertThat(day.ringsAt("22:00")).isZero();
    assertThat(day.line().answered(robin, "hello")).containsEntry("module", "FEEDBACK");
  }

  @Test
  void theModuleIsCompletedWhenTheMoveIsCarriedOut() {
    try (var other =
        PromptDay.of(
            DelayedTransitionTest.class,
            setup ->
                setup.flow(yaml ->
                    yaml.replace(
                        "\n# Writes the personal habit prompt",
                        "  reason: {module: INTAKE, description: Why.}\n\n"
                            + "# Writes the personal habit prompt")))) {
      var robin = other.greeted(ChannelKind.SIMULATOR);
      other.answered(robin, PromptDay.transition("FEEDBACK", "30"));
      assertThat(other.line().data(robin)).doesNotContainKey("userProfile");
      other.turnAt(robin, "08:45");
      assertThat(other.state(robin)).containsEntry("conversationState", "FEEDBACK");
      assertThat(other.profile(robin).at("/completed_at/INTAKE").asText())
          .isEqualTo(other.utc("08:45"));
    }
  }

  @Test
  void aPartOfAMinuteCounts() {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    day.answered(robin, PromptDay.transition("FEEDBACK", "1.5"));
    assertThat(day.ringsAfter(Duration.ofSeconds(89))).isZero();
    assertThat(day.turnAfter(robin, Duration.ofSeconds(1))).containsEntry("outcome", "woke");
  }

  @Test
  void aNewerOneTakesItsPlace() {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    day.answered(robin, PromptDay.transition("FEEDBACK", "30"));
    var first = day.wakeupId(robin, "transition");
    day.answered(robin, PromptDay.transition("FEEDBACK", "60"));
    assertThat(day.wakeups(robin)).containsExactly("transition");
    assertThat(day.wakeup(first))
        .containsEntry("status", "cancelled")
        .containsEntry("reason", "a newer one replaced it");
    assertThat(day.ringsAt("09:14")).isZero();
    assertThat(day.turnAt(robin, "09:15")).containsEntry("outcome", "woke");
  }

  @Test
  void aNewerOneTakesItsPlaceAlsoAfterItRang() {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    day.answered(robin, PromptDay.transition("FEEDBACK", "30"));
    day.fake().then(PromptDay.transition("FEEDBACK", "60"), Scripted.say("As you wish."));
    day.busy(
        robin,
        () -> {
          day.line().text(robin, "later please");
          assertThat(day.ringsAt("08:45")).isOne();
        });
    assertThat(day.line().awaitTurn(robin, 4))
        .containsEntry("outcome", "dropped")
        .containsEntry("reason", "a newer one replaced it");
    assertThat(day.state(robin)).containsEntry("conversationState", "INTAKE");
    assertThat(day.turnAt(robin, "09:45")).containsEntry("outcome", "woke");
  }

  @Test
  void aMoveAtOnceTakesItBack() {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    day.answered(robin, PromptDay.transition("FEEDBACK", "30"));
    day.answered(robin, PromptDay.transition("FEEDBACK", "0"));
    assertThat(day.wakeups(robin)).isEmpty();
    assertThat(day.wakeup(robin, "transition"))
        .containsEntry("status", "cancelled")
        .containsEntry("reason", "moved to FEEDBACK");
    day.answered(robin, PromptDay.transition("INTAKE", "0"));
    assertThat(day.ringsAt("22:00")).isZero();
    assertThat(day.state(robin)).containsEntry("conversationState", "INTAKE");
  }

  @Test
  void aMoveAtOnceTakesTheAutoFeedbackBackToo() {
    var robin = day.prompted();
    // The reply itself has taken it back; what a move takes back is planned again behind it.
    day.line()
        .bean(Timers.class)
        .plan(
            new Timers.Plan(
                robin.id(),
                WakeupKind.AUTO_FEEDBACK,
                Instant.parse(day.utc("10:30")),
                robin.zone(),
                day.today() + "#1",
                "again"));
    day.answered(robin, PromptDay.transition("FEEDBACK", "0"));
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt");
  }

  @Test
  void toTheModuleThatAnswersAlreadyNothingMoves() {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    day.answered(robin, PromptDay.transition("INTAKE", "30"));
    assertThat(day.turnAt(robin, "08:45"))
        .containsEntry("outcome", "dropped")
        .containsEntry("reason", "the participant is already in INTAKE");
  }

  @ParameterizedTest
  @EnumSource(
      value = Departure.class,
      names = {"PAUSED", "COMPLETED", "WITHDRAWN", "STOP"})
  void oneThatRangIsDroppedForWhoLeftBeforeItsTurn(Departure how) {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    day.answered(robin, PromptDay.transition("FEEDBACK", "30"));
    day.busy(
        robin,
        () -> {
          assertThat(day.ringsAt("08:45")).isOne();
          day.departs(robin, how);
        });
    assertThat(day.line().awaitTurn(robin, 3)).containsEntry("outcome", "dropped");
    assertThat(day.state(robin)).containsEntry("conversationState", "INTAKE");
  }

  @Test
  void itIsLateRatherThanLost() {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    day.answered(robin, PromptDay.transition("FEEDBACK", "30"));
    assertThat(day.turnAfter(robin, Duration.ofDays(2))).containsEntry("outcome", "woke");
    assertThat(day.state(robin)).containsEntry("conversationState", "FEEDBACK");
  }

  @Test
  void itSurvivesTheProcessThatWasAsked() {
    var first = PromptDay.of(DelayedTransitionTest.class);
    var robin = first.greeted(ChannelKind.SIMULATOR);
    first.answered(robin, PromptDay.transition("FEEDBACK", "30"));
    first.line().stop();
    var second = first.line().second().start();
    try {
      first.at("08:45");
      assertThat(second.bean(Sweeps.class).sweep()).isOne();
      assertThat(second.awaitTurn(robin, 3)).containsEntry("outcome", "woke");
      assertThat(second.data(robin)).containsEntry("conversationState", "FEEDBACK");
      assertThat(second.bean(Sweeps.class).sweep()).isZero();
    } finally {
      second.close();
    }
  }

  @Test
  void toAModuleThatTheFlowHasNoMoreNobodyMoves() {
    var more =
        """
        modules:

          EXTRA:
            prompt: feedback_tracker_system.txt
            tools: [transition_state]
            load_limit: 50
            history_limit: 30
            max_iterations: 10
            parallel_tool_calls: false
        """;
    var first =
        PromptDay.of(
            DelayedTransitionTest.class,
            setup -> setup.flow(yaml -> yaml.replace("modules:\n", more)));
    var robin = first.greeted(ChannelKind.SIMULATOR);
    first.answered(robin, PromptDay.transition("EXTRA", "30"));
    first.line().stop();
    var second = first.line().second().flow(yaml -> yaml).start();
    try {
      first.at("08:45");
      second.bean(Sweeps.class).sweep();
      assertThat(second.awaitTurn(robin, 3))
          .containsEntry("outcome", "dropped")
          .containsEntry("reason", "the flow no longer has the module EXTRA");
      assertThat(second.data(robin)).containsEntry("conversationState", "INTAKE");
    } finally {
      second.close();
    }
  }

  @Test
  void whoComesBackIsNotMovedByWhatWasAskedForBefore() {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    day.answered(robin, PromptDay.transition("FEEDBACK", "30"));
    day.becomes(robin, ParticipantStatus.PAUSED);
    day.becomes(robin, ParticipantStatus.ACTIVE);
    assertThat(day.wakeups(robin)).isEmpty();
    assertThat(day.state(robin)).doesNotContainKey("stateTransitionTimerID");
  }

  @Test
  void aMoveInTheTurnOfACheckInTakesItBackToo() {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    day.fake()
        .then(
            PromptDay.profile(),
            PromptDay.generate("immediate"),
            Scripted.say(PromptDay.PROMPT),
            PromptDay.transition("FEEDBACK", "60"),
            Scripted.say(PromptDay.PROMPT));
    day.line().answered(robin, "now please");
    assertThat(day.wakeups(robin)).containsExactly("check_in", "transition");
    day.fake().then(PromptDay.transition("FEEDBACK", "0"), Scripted.say("How did it go?"));
    assertThat(day.turnAt(robin, "08:30")).containsEntry("outcome", "woke");
    assertThat(day.state(robin)).containsEntry("conversationState", "FEEDBACK");
    assertThat(day.wakeup(robin, "transition"))
        .containsEntry("status", "cancelled")
        .containsEntry("reason", "moved to FEEDBACK");
  }
}
