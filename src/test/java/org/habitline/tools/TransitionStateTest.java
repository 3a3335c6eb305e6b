package org.habitline.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.ZoneId;
import java.util.Map;
import org.habitline.participants.ParticipantChange;
import org.habitline.timers.Agenda;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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

  private ToolOutcome later(String delay) {
    return tool.call(
        Habit.run(Habit.profile(Map.of())),
        Habit.json(
            "{\"target_state\":\"FEEDBACK\",\"delay_minutes\":%s,\"reason\":\"rest\"}"
                .formatted(delay)));
  }

  @ParameterizedTest
  @CsvSource({
    "5, 300000",
    "2.5, 150000",
    "0.0005, 30",
    "43200, 2592000000",
    "1e2, 6000000",
    "0.7, 42000"
  })
  void aDelayedMoveIsDueThen(String delay, long millis) {
    assertThat(later(delay).effects())
        .containsExactly(new Effect.MoveLater("FEEDBACK", Habit.NOW.plusMillis(millis), "rest"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "0", "0.0", "-0.0"})
  void noDelayMovesAtOnce(String delay) {
    assertThat(later(delay).effects())
        .containsExactly(new Effect.MoveState("INTAKE", "FEEDBACK", "rest"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "-0.001", "43200.1", "1e300", "1e400", "-1e400", "\"5\"", "[5]"})
  void aDelayThatCannotBeIsRefusedWithASentence(String delay) {
    var outcome = later(delay);
    assertThat(outcome.failed()).isTrue();
    assertThat(outcome.effects()).isEmpty();
    assertThat(outcome.result().path("field").asText()).isEqualTo("delay_minutes");
    assertThat(outcome.result().path("message").asText()).containsAnyOf("43200", "A number");
  }

  @Test
  void aDelayThatIsNoNumberAtAllIsRefused() {
    var outcome =
        tool.call(
            Habit.run(Habit.profile(Map.of())),
            Habit.json("{\"target_state\":\"FEEDBACK\"}").put("delay_minutes", Double.NaN));
    assertThat(outcome.result().path("field").asText()).isEqualTo("delay_minutes");
  }

  @Test
  void aDelayedMoveSaysFromWhenInTheParticipantsTime() {
    var run = Habit.run(Habit.profile(Map.of()));
    var tokyo = ZoneId.of("Asia/Tokyo");
    var moved =
        Habit.after(
            run,
            ToolOutcome.success(
                new Effect.MoveZone(ParticipantChange.ofZone(tokyo), Agenda.empty(tokyo))));
    var outcome =
        tool.call(moved, Habit.json("{\"target_state\":\"FEEDBACK\",\"delay_minutes\":90}"));
    assertThat(outcome.result().path("due_at_local").asText()).isEqualTo("2026-11-21 17:45");
    assertThat(outcome.result().path("message").asText())
        .contains("FEEDBACK", "2026-11-21 17:45", "Asia/Tokyo");
  }

  @Test
  void aDelayedMoveToTheModuleThatAnswersAlreadyIsAllowed() {
    var outcome =
        tool.call(
            Habit.run(Habit.profile(Map.of())),
            Habit.json("{\"target_state\":\"INTAKE\",\"delay_minutes\":60}"));
    assertThat(outcome.effects())
        .containsExactly(new Effect.MoveLater("INTAKE", Habit.NOW.plus(Duration.ofHours(1)), ""));
  }

  @ParameterizedTest
  @CsvSource({"null, 5", "5, null", "5, 5"})
  void onlyTheFirstMoveOfATurnCountsDelayedOrNot(String first, String second) {
    var call = "{\"target_state\":\"%s\",\"delay_minutes\":%s}";
    var run = Habit.run(Habit.profile(Map.of()));
    var moved = Habit.after(run, tool.call(run, Habit.json(call.formatted("FEEDBACK", first))));
    var outcome = tool.call(moved, Habit.json(call.formatted("INTAKE", second)));
    assertThat(outcome.failed()).isTrue();
    assertThat(outcome.result().path("message").asText()).contains("FEEDBACK", "only the first");
  }

  @Test
  void theSameMoveAgainIsNoMistake() {
    var run = Habit.run(Habit.profile(Map.of()));
    var call = Habit.json("{\"target_state\":\"FEEDBACK\"}");
    var again = tool.call(Habit.after(run, tool.call(run, call)), call);
    assertThat(again.failed()).isFalse();
    assertThat(again.effects()).isEmpty();
  }

  @Test
  void aDelayedMoveToAnUnknownModuleIsRefusedToo() {
    var outcome =
        tool.call(
            Habit.run(Habit.profile(Map.of())),
            Habit.json("{\"target_state\":\"NOWHERE\",\"delay_minutes\":5}"));
    assertThat(outcome.result().path("valid_values")).hasSize(2);
  }
}
