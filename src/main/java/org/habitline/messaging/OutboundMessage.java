package org.habitline.messaging;

import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participants;
import org.habitline.participants.PhoneNumber;
import org.jspecify.annotations.Nullable;

/**
 * A message to send. The id is the same for all attempts to send it.
 *
 * @param turn the turn that wrote it, if one did
 * @param template sent instead of the body, if there is one
 * @param toName the provider's name for the receiver, used instead of their number, if there is one
 * @param from the sender of ours that the receiver's last text came to, if it is not the default
 *     one: an RCS agent
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

  /** Returns this message with the provider's name for the receiver, if the channel has one. */
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
