package org.habitline.conversation.model;

import java.time.Instant;
import java.util.List;
import org.habitline.conversation.stored.Asked.Elsewhere;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.flows.Prompt;
import org.habitline.flows.Prompts;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ToolSpec;
import org.habitline.participants.Participant;
import org.habitline.tools.WorkingCopy;
import org.jspecify.annotations.Nullable;

/**
 * Holds everything that a turn's loop may know. Built once, never changed.
 *
 * @param loaded what was loaded of the participant
 * @param prompt the module's prompt
 * @param prompts all prompts as they were when the turn took its input
 * @param messages the first request: system message, history, new texts
 * @param elsewhere which of these messages the record has elsewhere
 * @param tools the tools that the module's model may call
 * @param toolsSha256 the hash under which these tools are kept, or {@code null} if there are none
 * @param budget how long the reply may be
 * @param sameText how many turns in a row had the same words, including this one
 */
public record TurnContext(
    Participant participant,
    LoadedContext loaded,
    Flow flow,
    FlowModule module,
    Prompt prompt,
    Prompts prompts,
    WorkingCopy copy,
    Instant now,
    List<ModelMessage> messages,
    Elsewhere elsewhere,
    List<ToolSpec> tools,
    @Nullable String toolsSha256,
    ReplyBudget budget,
    int sameText) {}
