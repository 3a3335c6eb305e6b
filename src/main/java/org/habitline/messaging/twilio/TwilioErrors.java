package org.habitline.messaging.twilio;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.habitline.messaging.Fate;

/**
 * What an error of Twilio means for a text: its own codes first, else the HTTP status. The same
 * codes come in the answer to a send and, later, in the status callback. The sources are Twilio's
 * error dictionary and, for 63xxx, WhatsApp's rules.
 */
final class TwilioErrors {

  private static final int TOO_MANY_REQUESTS = 429;
  private static final int UNAUTHORIZED = 401;
  private static final int REQUEST_TIMEOUT = 408;
  private static final int SERVER_ERROR = 500;

  private static final Map<Fate, List<Integer>> CODES =
      Map.of(
          // Rate limits and full queues.
          Fate.NEVER_PROCESSED, List.of(20429, 21611, 30001, 30022, 30023, 63017, 63018),
          // Errors inside Twilio.
          Fate.MAY_HAVE_GONE_OUT, List.of(20500, 20503),
          Fate.BAD_NUMBER, List.of(21211, 21614, 21612, 21635, 30004, 30005, 30006, 63003, 63024),
          // STOP, or we are blocked on WhatsApp.
          Fate.OPTED_OUT, List.of(21610, 63014),
          Fate.ONCE_MORE, List.of(30003, 30008, 63010, 63012),
          Fate.QUIET_HOURS, List.of(30610, 30047),
          Fate.WINDOW_CLOSED, List.of(63016),
          // The account, its credentials, its registration or its senders.
          Fate.MISCONFIGURED,
              List.of(20003, 20404, 30002, 30034, 30032, 21606, 21408, 63007, 21603, 21659));

  private static final Map<Integer, Fate> FATES = byCode();

  private TwilioErrors() {}

  private static Map<Integer, Fate> byCode() {
    var fates = new HashMap<Integer, Fate>();
    CODES.forEach((fate, codes) -> codes.forEach(code -> fates.put(code, fate)));
    return Map.copyOf(fates);
  }

  /** Returns what a code means; one that is not listed is never tried again blindly. */
  static Fate fate(int code) {
    return FATES.getOrDefault(code, Fate.FINAL);
  }

  /**
   * Returns what an error answer to a request means.
   *
   * @param code Twilio's code, or 0 if the answer carried none
   */
  static Fate fate(int httpStatus, int code) {
    if (FATES.containsKey(code)) {
      return fate(code);
    }
    if (httpStatus == TOO_MANY_REQUESTS) {
      return Fate.NEVER_PROCESSED;
    }
    if (httpStatus >= SERVER_ERROR || httpStatus == REQUEST_TIMEOUT) {
      return Fate.MAY_HAVE_GONE_OUT;
    }
    return code == 0 && httpStatus == UNAUTHORIZED ? Fate.MISCONFIGURED : Fate.FINAL;
  }
}
