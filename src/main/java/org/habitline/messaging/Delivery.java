package org.habitline.messaging;

import java.time.Duration;

/** What a channel says of one attempt to send a text. */
public sealed interface Delivery {

  /** The provider has it, under this id. */
  record Accepted(String providerId) implements Delivery {}

  /** The provider certainly did not take it, and may take it after the pause. */
  record Deferred(DeliveryFailure why, String reason, Duration pause) implements Delivery {
    public Deferred(String reason, Duration pause) {
      this(DeliveryFailure.NEVER_PROCESSED, reason, pause);
    }
  }

  /** The provider will not take it like this. */
  record Refused(DeliveryFailure why, String reason) implements Delivery {
    public Refused(String reason) {
      this(DeliveryFailure.FINAL, reason);
    }
  }

  /** It may have gone out. It is looked up before anything is sent again. */
  record Unknown(String reason) implements Delivery {}

  /** Returns what an error means for the attempt that met it. */
  static Delivery failed(DeliveryFailure why, String reason, Duration pause) {
    return switch (why) {
      case NEVER_PROCESSED, ONCE_MORE, QUIET_HOURS, NEXT_DAY, NOT_BY_RCS, MISCONFIGURED ->
          new Deferred(why, reason, pause);
      case MAY_HAVE_GONE_OUT -> new Unknown(reason);
      case WINDOW_CLOSED, OPTED_OUT, BAD_NUMBER, FINAL -> new Refused(why, reason);
    };
  }
}
