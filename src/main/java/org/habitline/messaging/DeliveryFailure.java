package org.habitline.messaging;

/** What a provider's error means for a message, in the response to a send or in a later report. */
public enum DeliveryFailure {
  /** The message was never processed; it is sent again after growing pauses. */
  NEVER_PROCESSED,
  /** The message may have been sent; it is looked up before anything is sent again. */
  MAY_HAVE_GONE_OUT,
  /** The phone was not reached; one more try is worthwhile. */
  ONCE_MORE,
  /** The carrier sends nothing at this hour; the message waits until sending is allowed. */
  QUIET_HOURS,
  /** The provider accepts no more today; the message waits for the next day. */
  NEXT_DAY,
  /** RCS cannot reach the phone; the message is sent once more at once, as an SMS. */
  NOT_BY_RCS,
  /** Free-form messages are not allowed to this person now, only templates. */
  WINDOW_CLOSED,
  /** The account or its sender is misconfigured; nothing is sent until that is corrected. */
  MISCONFIGURED,
  /** The person opted out with the provider; nothing may be sent to them. */
  OPTED_OUT,
  /** The number is not reachable. */
  BAD_NUMBER,
  /** The message will not be delivered, and trying again could do harm. */
  FINAL
}
