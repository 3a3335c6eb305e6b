package org.habitline.messaging.outbox;

/** Why a planned message waits longer than its turn in the queue. */
public enum HoldReason {
  /** The provider accepts no messages from its sender at present. */
  SENDER_STOPPED,
  /** The message could not be sent at the requested time and waits for the allowed hours. */
  ALLOWED_HOURS,
  /** The service was started without the channel of the message. */
  CHANNEL_MISSING,
  /** The carrier sends nothing at this hour. */
  CARRIER_HOURS,
  /** The last attempt failed, and the next one is due later. */
  RETRY,
  /** Real channels are off until a test alert is acknowledged. */
  TEST_ALERT
}
