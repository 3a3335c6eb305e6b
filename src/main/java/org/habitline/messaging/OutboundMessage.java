package org.habitline.messaging;

import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participants;
import org.habitline.participants.PhoneNumber;
import org.jspecify.annotations.Nullable;

/**
 * One text on its way out. The id is stable over all attempts to send it.
 *
 * @param turn the turn that says it, if one does
 * @param template goes out instead of the body, if there is one
 * @param toName what the channel's provider calls the receiver instead of their number, if it does
 * @param from the sender of ours that the receiver's last text came to, if it is not the usual one:
 *     an RCS agent
 */
public record OutboundMessage(
    String id,
    String participantId,
    @Nullable Integer turn,
    OutboundKind kind,
    PhoneNumber to,
    ChannelKind channel,
    String body,
    @Nullable Template template,
    @Nullable String toName,
    @Nullable String from) {

  public OutboundMessage(
      String id,
      String participantId,
      @Nullable Integer turn,
      OutboundKind kind,
      PhoneNumber to,
      ChannelKind channel,
      String body) {
    this(id, participantId, turn, kind, to, channel, body, null, null, null);
  }

  public OutboundMessage as(@Nullable Template words) {
    return new OutboundMessage(
        id, participantId, turn, kind, to, channel, body, words, toName, from);
  }

  /** The same to the name that the provider has for the receiver on this channel, if it has one. */
  public OutboundMessage named(Participants participants) {
    var name =
        channel.namesPeople() ? participants.senderName(participantId, channel).orElse(null) : null;
    return new OutboundMessage(
        id, participantId, turn, kind, to, channel, body, template, name, from);
  }

  public OutboundMessage from(@Nullable String sender) {
    return new OutboundMessage(
        id, participantId, turn, kind, to, channel, body, template, toName, sender);
  }
}
