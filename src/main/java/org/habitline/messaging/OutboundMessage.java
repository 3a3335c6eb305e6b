package org.habitline.messaging;

import org.habitline.participants.ChannelKind;
import org.habitline.participants.PhoneNumber;

/** One text on its way out. The id is stable over all attempts to send it. */
public record OutboundMessage(
    String id,
    String participantId,
    OutboundKind kind,
    PhoneNumber to,
    ChannelKind channel,
    String body) {}
