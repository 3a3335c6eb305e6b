package org.habitline.tools;

import java.util.Optional;
import org.habitline.flows.Prompt;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;

/**
 * Calls the model on behalf of a tool. The call is journaled as a child of the running iteration,
 * so a turn that is resumed after a crash reuses the reply already paid for. The turn's deadline
 * limits the call.
 */
@FunctionalInterface
public interface NestedModel {

  /** Returns the model's reply, or empty if the gates withheld its text. */
  Optional<ModelReply> ask(ModelRequest request, Prompt prompt);
}
