package org.habitline.messaging;

/**
 * What an error of a provider means for a text, whether it came as the answer to a send or was
 * reported later.
 */
public enum DeliveryFailure {
  /** It was never processed: it is sent again, later and later. */
  NEVER_PROCESSED,
  /** It may have gone out: it is looked up before anything is sent again. */
  MAY_HAVE_GONE_OUT,
  /** The phone was not reached: one more try is worth it. */
  ONCE_MORE,
  /** The carrier sends nothing at this hour: it waits for the hours in which it may. */
  QUIET_HOURS,
  /** The provider takes no more today: it waits for the next day. */
  NEXT_DAY,
  /** The phone cannot be reached by RCS: it goes out once more as an SMS, at once. */
  NOT_BY_RCS,
  /** Free words are not allowed to this person now: only a template is. */
  WINDOW_CLOSED,
  /** The account or its sender is not in order: nothing goes out until that is put right. */
  MISCONFIGURED,
  /** The person told the provider to be left alone: nothing may be sent to them. */
  OPTED_OUT,
  /** Nobody can be reached under this number. */
  BAD_NUMBER,
  /** It will not be delivered, and trying again could do harm. */
  FINAL
}
