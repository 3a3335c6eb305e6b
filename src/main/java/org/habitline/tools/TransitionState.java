package org.habitline.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Singleton;
import java.util.List;
import org.habitline.flows.Flow;
import org.habitline.llm.ToolSpec;

/**
 * Hands the participant to another module from the next turn on. The first call of a turn wins; a
 * second is refused, so that what the model was told stays true.
 */
@Singleton
final class TransitionState implements Tool {

  private static final String TARGET_STATE = "target_state";
  private static final String REASON = "reason";
  private static final int LONGEST_REASON = 300;

  @Override
  public String name() {
    return "transition_state";
  }

  @Override
  public ToolSpec spec(Flow flow) {
    return new ToolSpec(
        name(),
        "Lets another module answer the participant from their next message on. At most once in a"
            + " turn.",
        new StrictSchema()
            .choice(TARGET_STATE, "The module to move to.", flow.modules().keySet())
            .optionalText(REASON, "Why, in a few words, for the study team.", LONGEST_REASON)
            .done());
  }

  @Override
  public ToolOutcome call(ToolRun run, ObjectNode given) {
    var arguments = new Arguments(given, List.of(TARGET_STATE, REASON), List.of());
    var target = arguments.requiredChoice(TARGET_STATE, run.flow().modules().keySet());
    var reason = arguments.text(REASON, LONGEST_REASON).orElse("");
    return arguments
        .refusal()
        .orElseGet(() -> target.map(to -> move(run.copy(), to, reason)).orElseThrow());
  }

  private static ToolOutcome move(WorkingCopy copy, String to, String reason) {
    if (copy.movingTo() != null) {
      return ToolOutcome.error(
          TARGET_STATE,
          "The move to %s was already asked for in this turn; only the first move of a turn counts."
              .formatted(copy.movingTo()),
          List.of());
    }
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
}
