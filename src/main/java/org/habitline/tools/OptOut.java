package org.habitline.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Singleton;
import java.util.List;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.llm.ToolSpec;

/**
 * Opts the participant out of messages when they ask for it in words that no rule understands. It
 * is no withdrawal from the study: what they said and when stays stored, and START undoes it.
 */
@Singleton
final class OptOut implements Tool {

  /** Two SMS. */
  static final int LONGEST_CONFIRMATION = 300;

  private static final String CONFIRMATION = "confirmation_text";

  @Override
  public String name() {
    return "opt_out";
  }

  /** Nobody asks for it who said nothing. */
  @Override
  public boolean needsText() {
    return true;
  }

  @Override
  public ToolSpec spec(Flow flow, FlowModule module) {
    return new ToolSpec(
        name(),
        "Ends all messages to them, when they ask for that. Not for a habit they want to stop, for fewer messages, or for leaving"
            + " the study.",
        new StrictSchema()
            .text(
                CONFIRMATION,
                "The last text they get: no more messages come, START brings them back. Asks nothing.",
                LONGEST_CONFIRMATION)
            .done());
  }

  @Override
  public ToolOutcome call(ToolRun run, ObjectNode given) {
    var arguments = new Arguments(given, List.of(CONFIRMATION), List.of());
    var confirmation = arguments.requiredText(CONFIRMATION, LONGEST_CONFIRMATION);
    return arguments
        .refusal()
        .orElseGet(() -> ToolOutcome.success(new Effect.OptOut(confirmation.orElseThrow())));
  }
}
