package org.habitline.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import org.habitline.flows.Flow;
import org.habitline.llm.ToolSpec;
import org.habitline.timers.Moment;

/**
 * Moves the participant to another module, from the next turn on or at a later time. Only the first
 * call of a turn is accepted, so that what the model was told about it stays true.
 */
@Singleton
final class TransitionState implements Tool {

  private static final String TARGET_STATE = "target_state";
  private static final String DELAY_MINUTES = "delay_minutes";
  private static final String REASON = "reason";
  private static final int LONGEST_REASON = 300;
  private static final Duration LONGEST_DELAY = Duration.ofDays(30);
  private static final double MILLIS_PER_MINUTE = 60_000;

  @Override
  public String name() {
    return "transition_state";
  }

  @Override
  public ToolSpec spec(Flow flow) {
    return new ToolSpec(
        name(),
        "Lets another module answer the participant from their next message on, or from a later"
            + " time. At most once in a turn.",
        new StrictSchema()
            .choice(TARGET_STATE, "The module to move to.", flow.modules().keySet())
            .optionalNumber(
                DELAY_MINUTES,
                "Minutes to wait before the move, fractions allowed, at most %d. Null or 0 moves at once."
                    .formatted(LONGEST_DELAY.toMinutes()))
            .optionalText(REASON, "Why, in a few words, for the study team.", LONGEST_REASON)
            .done());
  }

  @Override
  public ToolOutcome call(ToolRun run, ObjectNode given) {
    var arguments = new Arguments(given, List.of(TARGET_STATE, DELAY_MINUTES, REASON), List.of());
    var target = arguments.requiredChoice(TARGET_STATE, run.flow().modules().keySet());
    var delay = delay(arguments);
    var reason = arguments.text(REASON, LONGEST_REASON).orElse("");
    if (arguments.refusal().isPresent()) {
      return arguments.refusal().get();
    }
    var to = target.orElseThrow();
    if (run.copy().movingTo() != null) {
      return ToolOutcome.error(
          TARGET_STATE,
          "The move to %s was already asked for in this turn; only the first move of a turn counts."
              .formatted(run.copy().movingTo()),
          List.of());
    }
    return delay.isZero() ? move(run.copy(), to, reason) : moveLater(run, to, delay, reason);
  }

  private static Duration delay(Arguments arguments) {
    var minutes = arguments.number(DELAY_MINUTES).orElse(0);
    // Written this way round, the condition also rejects NaN.
    if (!(minutes >= 0 && minutes <= LONGEST_DELAY.toMinutes())) {
      arguments.refuse(
          DELAY_MINUTES,
          "The delay is 0 to %d minutes, which is %d days; 0 or null moves at once."
              .formatted(LONGEST_DELAY.toMinutes(), LONGEST_DELAY.toDays()),
          List.of());
      return Duration.ZERO;
    }
    return Duration.ofMillis(Math.round(minutes * MILLIS_PER_MINUTE));
  }

  private static ToolOutcome move(WorkingCopy copy, String to, String reason) {
    if (to.equals(copy.state())) {
      return ToolOutcome.noop("%s is already the module that answers.".formatted(to));
    }
    var moved = ToolOutcome.success(new Effect.MoveState(copy.state(), to, reason));
    moved
        .result()
        .put("from", copy.state())
        .put("to", to)
        .put(
            "message",
            "%s answers from the participant's next message on; finish this reply yourself."
                .formatted(to));
    return moved;
  }

  /** Plans a later move. It may name the current module, because by then it may be another one. */
  private static ToolOutcome moveLater(ToolRun run, String to, Duration delay, String reason) {
    var dueAt = run.now().plus(delay);
    var zone = run.copy().agenda().zone();
    var local = Moment.at(dueAt, zone).text();
    var moved = ToolOutcome.success(new Effect.MoveLater(to, dueAt, reason));
    moved
        .result()
        .put("from", run.copy().state())
        .put("to", to)
        .put("due_at_local", local)
        .put("timezone", zone.getId())
        .put(
            "message",
            "%s answers from %s on, in the participant's time (%s); until then nothing changes."
                .formatted(to, local, zone.getId()));
    return moved;
  }
}
