package org.habitline.messaging;

import org.habitline.participants.ChannelKind;
import org.habitline.participants.PhoneNumber;
import org.jspecify.annotations.Nullable;

/**
 * One text on its way out. The id is stable over all attempts to send it.
 *
 * @param turn the turn that says it, if one does
 * @param toName what the channel's provider calls the receiver instead of their number, if it does
 */
public record OutboundMessage(
    String id,
    String participantId,
    @Nullable Integer turn,
    OutboundKind kind,
    PhoneNumber to,
    @Nullable String toName,
    ChannelKind channel,
    String body) {}
