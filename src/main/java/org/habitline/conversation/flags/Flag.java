package org.habitline.conversation.flags;

import java.time.Instant;
import org.habitline.tools.FlagKind;
import org.jspecify.annotations.Nullable;

/**
 * What the coach flagged for staff. It holds no words of the participant; times are study time.
 *
 * @param turn the turn in which it was raised first
 * @param lastTurn the turn in which it was raised last
 * @param times how often it was raised while it was open
 * @param note what the staff member who closed it wrote
 */
public record Flag(
    String id,
    String participantId,
    FlagKind kind,
    FlagStatus status,
    int turn,
    Instant raisedAt,
    int lastTurn,
    Instant lastAt,
    int times,
    @Nullable Instant closedAt,
    @Nullable String closedBy,
    @Nullable String note) {}
