package org.habitline.tools;

import java.time.Instant;
import org.habitline.flows.Flow;
import org.habitline.flows.Prompts;
import org.habitline.participants.Participant;

/**
 * The context of a tool call, set by the turn, never by the model.
 *
 * @param prompts the prompts as they were when the turn took its input
 */
public record ToolRun(
    Participant participant,
    Flow flow,
    String module,
    WorkingCopy copy,
    Instant now,
    Prompts prompts,
    NestedModel model) {}
