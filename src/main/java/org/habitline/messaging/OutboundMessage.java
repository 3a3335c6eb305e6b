package org.habitline.messaging;

import org.habitline.participants.ChannelKind;
import org.habitline.participants.PhoneNumber;
import org.jspecify.annotations.Nullable;

/**
 * One text on its way out. The id is stable over all attempts to send it.
 *
 * @param turn the turn that says it, if one does
 * @param template goes out instead of the body, if there is one
 */
public record OutboundMessage(
    String id,
    String participantId,
    @Nullable Integer turn,
    OutboundKind kind,
    PhoneNumber to,
    ChannelKind channel,
    String body,
    @Nullable Template template) {

  public OutboundMessage(
      String id,
      String participantId,
      @Nullable Integer turn,
      OutboundKind kind,
      PhoneNumber to,
      ChannelKind channel,
      String body) {
    this(id, participantId, turn, kind, to, channel, body, null);
  }

  OutboundMessage as(@Nullable Template words) {
    return new OutboundMessage(id, participantId, turn, kind, to, channel, body, words);
  }
}
