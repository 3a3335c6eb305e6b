package org.habitline.tools;

import java.time.Instant;
import org.habitline.flows.Flow;
import org.habitline.participants.Participant;

/** Who calls a tool, and when: given by the turn, never by the model. */
public record ToolRun(
    Participant participant,
    Flow flow,
    String module,
    WorkingCopy copy,
    Instant now,
    NestedModel model) {}
