package org.habitline.messaging;

import java.time.Duration;

/** The outcome of one attempt to send a message. */
public sealed interface Delivery {

  /** The provider accepted the message under this id. */
  record Accepted(String providerId) implements Delivery {}

  /** The provider certainly did not accept the message, and may accept it after the pause. */
  record Deferred(DeliveryFailure why, String reason, Duration pause) implements Delivery {
    public Deferred(String reason, Duration pause) {
      this(DeliveryFailure.NEVER_PROCESSED, reason, pause);
    }
  }

  /** The provider will not accept the message as it is. */
  record Refused(DeliveryFailure why, String reason) implements Delivery {
    public Refused(String reason) {
      this(DeliveryFailure.FINAL, reason);
    }
  }

  /** The message may have been sent. It is looked up before anything is sent again. */
  record Unknown(String reason) implements Delivery {}

  /** Returns the outcome that an error means for the attempt that met it. */
  static Delivery failed(DeliveryFailure why, String reason, Duration pause) {
    return switch (why) {
      case NEVER_PROCESSED, ONCE_MORE, QUIET_HOURS, NEXT_DAY, NOT_BY_RCS, MISCONFIGURED ->
          new Deferred(why, reason, pause);
      case MAY_HAVE_GONE_OUT -> new Unknown(reason);
      case WINDOW_CLOSED, OPTED_OUT, BAD_NUMBER, FINAL -> new Refused(why, reason);
    };
  }
}
