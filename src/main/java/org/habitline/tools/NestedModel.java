package org.habitline.tools;

import org.habitline.flows.Prompt;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;

/**
 * The model, for a tool that needs one. The call is journaled as a child of the running iteration,
 * so a turn resumed after a crash gets the answer already paid for; the turn's deadline bounds it.
 */
@FunctionalInterface
public interface NestedModel {
  ModelReply ask(ModelRequest request, Prompt prompt);
}
