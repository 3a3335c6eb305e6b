package org.habitline.messaging.twilio;

import java.time.Duration;
import java.util.Set;
import org.habitline.messaging.Delivery;

/** What an error of Twilio means for a text: its own codes first, else the HTTP status. */
final class TwilioErrors {

  private static final int TOO_MANY_REQUESTS = 429;
  private static final int UNAUTHORIZED = 401;
  private static final int REQUEST_TIMEOUT = 408;
  private static final int SERVER_ERROR = 500;

  /** Never processed: rate limits and full queues. */
  private static final Set<Integer> TRY_AGAIN =
      Set.of(20429, 21611, 30001, 30022, 30023, 63017, 63018);

  /** It may have been taken: errors inside Twilio. */
  private static final Set<Integer> UNKNOWN = Set.of(20500, 20503);

  /** The person said STOP to Twilio, or blocked us on WhatsApp. */
  private static final Set<Integer> OPTED_OUT = Set.of(21610, 63014);

  /**
   * Nothing is wrong with the text: the account, its credentials or its senders are not in order.
   */
  private static final Set<Integer> CONFIGURATION =
      Set.of(20003, 20404, 30002, 30034, 30032, 21606, 21408, 63007, 21603, 21659);

  private TwilioErrors() {}

  static boolean isOptOut(int code) {
    return OPTED_OUT.contains(code);
  }

  /**
   * Returns what an error answer to a send means.
   *
   * @param code Twilio's code, or 0 if the answer carried none
   */
  static Delivery delivery(int httpStatus, int code, Duration pause) {
    var reason = code == 0 ? "HTTP " + httpStatus : String.valueOf(code);
    if (OPTED_OUT.contains(code)) {
      return new Delivery.OptedOut(reason);
    }
    if (CONFIGURATION.contains(code) || (code == 0 && httpStatus == UNAUTHORIZED)) {
      return new Delivery.Misconfigured(reason);
    }
    if (TRY_AGAIN.contains(code) || httpStatus == TOO_MANY_REQUESTS) {
      return new Delivery.Deferred(reason, pause);
    }
    if (UNKNOWN.contains(code) || httpStatus >= SERVER_ERROR || httpStatus == REQUEST_TIMEOUT) {
      return new Delivery.Unknown(reason);
    }
    return new Delivery.Refused(reason);
  }
}
