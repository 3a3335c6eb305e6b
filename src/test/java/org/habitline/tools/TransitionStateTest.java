package org.habitline.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class TransitionStateTest {

  private final TransitionState tool = new TransitionState();

  @Test
  void aMoveTakesEffectWhenTheTurnCommits() {
    var run = Habit.run(Habit.profile(Map.of()));
    var outcome =
        tool.call(run, Habit.json("{\"target_state\":\"FEEDBACK\",\"reason\":\"intake done\"}"));
    assertThat(outcome.result().path("status").asText()).isEqualTo("success");
    assertThat(outcome.effects())
        .containsExactly(new Effect.MoveState("INTAKE", "FEEDBACK", "intake done"));
  }

  @Test
  void theSecondMoveOfATurnIsRefusedAndNamesTheFirst() {
    var run = Habit.run(Habit.profile(Map.of()));
    var first = tool.call(run, Habit.json("{\"target_state\":\"FEEDBACK\",\"reason\":null}"));
    var second = tool.call(Habit.after(run, first), Habit.json("{\"target_state\":\"INTAKE\"}"));
    assertThat(second.failed()).isTrue();
    assertThat(second.effects()).isEmpty();
    assertThat(second.result().path("message").asText()).contains("FEEDBACK", "only the first");
  }

  @Test
  void movingToWhereOneIsDoesNothing() {
    var outcome =
        tool.call(Habit.run(Habit.profile(Map.of())), Habit.json("{\"target_state\":\"intake\"}"));
    assertThat(outcome.result().path("status").asText()).isEqualTo("noop");
    assertThat(outcome.effects()).isEmpty();
  }

  @Test
  void anUnknownTargetIsRefusedWithTheModulesOfTheFlow() {
    var outcome =
        tool.call(
            Habit.run(Habit.profile(Map.of())), Habit.json("{\"target_state\":\"COORDINATOR\"}"));
    assertThat(outcome.result().path("field").asText()).isEqualTo("target_state");
    assertThat(outcome.result().path("valid_values"))
        .extracting(value -> value.asText())
        .containsExactly("INTAKE", "FEEDBACK");
  }
}
