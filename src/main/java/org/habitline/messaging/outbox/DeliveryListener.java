package org.habitline.messaging.outbox;

import org.habitline.messaging.OutboundMessage;

/**
 * Called when a delivery ends, inside the transaction that records it and that has locked the
 * participant. Implementations must only write to the database.
 */
public interface DeliveryListener {

  /** Called when the provider accepted the message. */
  default void accepted(OutboundMessage message) {}

  /** Called when the message will not be sent. */
  default void refused(OutboundMessage message, String reason) {}

  /** Called when the message was not sent in time, or not within its allowed hours. */
  default void missed(OutboundMessage message, String reason) {
    refused(message, reason);
  }

  /** Called when the provider accepted the message and could not deliver it. */
  default void undelivered(OutboundMessage message, String reason) {}
}
