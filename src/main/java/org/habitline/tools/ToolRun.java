package org.habitline.tools;

import java.time.Instant;
import java.util.List;
import org.habitline.flows.Flow;
import org.habitline.flows.Prompts;
import org.habitline.llm.ModelMessage;
import org.habitline.participants.Participant;

/**
 * The context of a tool call, set by the turn, never by the model.
 *
 * @param prompts the prompts as they were when the turn took its input
 * @param conversation what the calling model was shown and has said in this turn, oldest first;
 *     empty for a call from outside a conversation
 */
public record ToolRun(
    Participant participant,
    Flow flow,
    String module,
    WorkingCopy copy,
    Instant now,
    Prompts prompts,
    NestedModel model,
    List<ModelMessage> conversation) {

  public ToolRun {
    conversation = List.copyOf(conversation);
  }

  /** Creates the context of a call from outside a conversation. */
  public ToolRun(
      Participant participant,
      Flow flow,
      String module,
      WorkingCopy copy,
      Instant now,
      Prompts prompts,
      NestedModel model) {
    this(participant, flow, module, copy, now, prompts, model, List.of());
  }
}
