package org.habitline.messaging;

import org.habitline.participants.ChannelKind;

/**
 * A road to phones. Both methods block the calling (virtual) thread, are called with no transaction
 * open, and report what happened instead of throwing.
 */
public interface Channel {

  ChannelKind kind();

  /** Sends one text, once: a channel never repeats a request on its own. */
  Delivery send(OutboundMessage message);

  /** Says whether a text whose fate is unknown was sent. */
  LookUp lookUp(OutboundMessage message, Attempt attempt);
}
