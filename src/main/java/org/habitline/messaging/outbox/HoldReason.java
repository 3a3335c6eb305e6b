package org.habitline.messaging.outbox;

/** Why a planned text waits longer than its turn in the queue. */
public enum HoldReason {
  /** The provider takes no texts from its sender at present. */
  SENDER_STOPPED,
  /** It could not leave at the time that was asked for, and waits for the allowed hours. */
  ALLOWED_HOURS,
  /** The line was started without its channel. */
  CHANNEL_MISSING,
  /** The carrier sends nothing at this hour. */
  CARRIER_HOURS,
  /** The last attempt failed, and the next one is due later. */
  RETRY
}
