package org.habitline.messaging.outbox;

import org.habitline.messaging.OutboundMessage;

/**
 * Told that a text came to an end, inside the transaction that records it and that holds the
 * participant. Implementations must only write to the database.
 */
public interface DeliveryListener {

  /** The provider accepted the text. */
  default void accepted(OutboundMessage message) {}

  /** The text will not be sent. */
  default void refused(OutboundMessage message, String reason) {}

  /** The text was not sent in its time, or not in the hours it may be sent in. */
  default void missed(OutboundMessage message, String reason) {
    refused(message, reason);
  }

  /** The provider accepted the text and could not deliver it. */
  default void undelivered(OutboundMessage message, String reason) {}
}
