package org.habitline.messaging.twilio;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.messaging.DeliveryFailure;

/**
 * Maps Twilio's errors to what they mean for a message: its own codes first, else the HTTP status.
 * The same codes come in the response to a send and, later, in the status callback. The source of
 * each is its page in Twilio's error dictionary ({@link #source}).
 */
final class TwilioErrors {

  private static final String DICTIONARY = "https://www.twilio.com/docs/api/errors/";

  private static final int TOO_MANY_REQUESTS = 429;
  private static final int UNAUTHORIZED = 401;
  private static final int REQUEST_TIMEOUT = 408;
  private static final int SERVER_ERROR = 500;

  /**
   * A code and its meaning.
   *
   * @param words the meaning, in a few words for staff
   */
  private record Known(int code, DeliveryFailure fate, String words) {}

  private static final Map<Integer, Known> KNOWN =
      Stream.of(
              // Rate limits and full queues.
              known(20429, DeliveryFailure.NEVER_PROCESSED, "too many requests at once"),
              known(21611, DeliveryFailure.NEVER_PROCESSED, "the sender's queue is full"),
              known(30001, DeliveryFailure.NEVER_PROCESSED, "the sender's queue is full"),
              known(
                  30022,
                  DeliveryFailure.NEVER_PROCESSED,
                  "faster than the sender's US registration allows"),
              known(
                  30023,
                  DeliveryFailure.NEVER_PROCESSED,
                  "the day's limit of the US registration is reached"),
              known(
                  63017,
                  DeliveryFailure.NEVER_PROCESSED,
                  "more messages than WhatsApp accepts at once"),
              known(
                  63018,
                  DeliveryFailure.NEVER_PROCESSED,
                  "more messages than WhatsApp accepts at once"),
              // Errors inside Twilio.
              known(20500, DeliveryFailure.MAY_HAVE_GONE_OUT, "an error inside Twilio"),
              known(20503, DeliveryFailure.MAY_HAVE_GONE_OUT, "Twilio was not available"),
              known(21211, DeliveryFailure.BAD_NUMBER, "this is not a phone number"),
              known(21614, DeliveryFailure.BAD_NUMBER, "this number cannot get SMS"),
              known(21612, DeliveryFailure.BAD_NUMBER, "the sender cannot reach this number"),
              known(21635, DeliveryFailure.BAD_NUMBER, "this is a landline"),
              known(30004, DeliveryFailure.BAD_NUMBER, "the phone or its carrier blocks messages"),
              known(30005, DeliveryFailure.BAD_NUMBER, "this number is no longer in use"),
              known(
                  30006,
                  DeliveryFailure.BAD_NUMBER,
                  "a landline, or a carrier that cannot be reached"),
              known(63003, DeliveryFailure.BAD_NUMBER, "this number is not on WhatsApp"),
              known(63024, DeliveryFailure.BAD_NUMBER, "this number cannot get WhatsApp messages"),
              // STOP, or the sender is blocked on WhatsApp.
              known(21610, DeliveryFailure.OPTED_OUT, "they texted STOP to this sender"),
              known(63014, DeliveryFailure.OPTED_OUT, "they blocked this sender on WhatsApp"),
              known(30003, DeliveryFailure.ONCE_MORE, "the phone is switched off or out of reach"),
              known(
                  30008, DeliveryFailure.ONCE_MORE, "lost in transit; the carrier gives no reason"),
              known(63010, DeliveryFailure.ONCE_MORE, "an error inside WhatsApp"),
              known(63012, DeliveryFailure.ONCE_MORE, "WhatsApp was not available"),
              known(30610, DeliveryFailure.QUIET_HOURS, "the carrier's quiet hours"),
              known(30047, DeliveryFailure.QUIET_HOURS, "the carrier's quiet hours"),
              // A limit over any 24 hours for the account.
              known(
                  63038, DeliveryFailure.NEXT_DAY, "the account's daily message limit is reached"),
              known(
                  63016,
                  DeliveryFailure.WINDOW_CLOSED,
                  "WhatsApp's 24 hours for free text are over"),
              // The account, its credentials, its registration or its senders.
              known(20003, DeliveryFailure.MISCONFIGURED, "the account's SID or token is wrong"),
              known(20404, DeliveryFailure.MISCONFIGURED, "the account or service does not exist"),
              known(30002, DeliveryFailure.MISCONFIGURED, "the account is suspended"),
              known(
                  30034, DeliveryFailure.MISCONFIGURED, "the sender is not registered for the US"),
              known(
                  30035,
                  DeliveryFailure.MISCONFIGURED,
                  "the sender's US registration is not complete yet; messages wait for it"),
              known(30032, DeliveryFailure.MISCONFIGURED, "the toll-free number is not verified"),
              known(
                  21606,
                  DeliveryFailure.MISCONFIGURED,
                  "the sender's number does not belong to the account"),
              known(
                  21408, DeliveryFailure.MISCONFIGURED, "the account may not send to this country"),
              known(
                  63007, DeliveryFailure.MISCONFIGURED, "the account has no such WhatsApp sender"),
              known(21603, DeliveryFailure.MISCONFIGURED, "no sender was named"),
              known(
                  21659,
                  DeliveryFailure.MISCONFIGURED,
                  "the sender's number does not belong to the account"),
              // The phone, for a message that was sent by RCS.
              known(63106, DeliveryFailure.NOT_BY_RCS, "this phone cannot get RCS"),
              known(
                  63049,
                  DeliveryFailure.FINAL,
                  "Meta did not deliver this template because its category is marketing; have its"
                      + " wording approved as a utility template"),
              known(30007, DeliveryFailure.FINAL, "the carrier classified it as spam"),
              known(21617, DeliveryFailure.FINAL, "the message is too long"))
          .collect(Collectors.toUnmodifiableMap(Known::code, Function.identity()));

  private TwilioErrors() {}

  private static Known known(int code, DeliveryFailure fate, String words) {
    return new Known(code, fate, words);
  }

  /** Returns what a code means, in a few words for staff; empty if the code is not listed. */
  static Optional<String> meaning(String code) {
    return known(code).map(Known::words);
  }

  private static Optional<Known> known(String code) {
    return KNOWN.values().stream().filter(it -> String.valueOf(it.code()).equals(code)).findFirst();
  }

  /** Returns the URL of Twilio's page on a code. */
  static String source(int code) {
    return DICTIONARY + code;
  }

  /** Returns all listed codes. */
  static Set<Integer> codes() {
    return KNOWN.keySet();
  }

  /**
   * Returns what an error means for a message by the way it was sent: someone who cannot be reached
   * by RCS may be reachable by SMS.
   */
  static DeliveryFailure byRoad(DeliveryFailure fate, boolean rcs) {
    return rcs && fate == DeliveryFailure.BAD_NUMBER ? DeliveryFailure.NOT_BY_RCS : fate;
  }

  /** Returns what a code means; with a code that is not listed, a message is never sent again. */
  static DeliveryFailure fate(int code) {
    var known = KNOWN.get(code);
    return known == null ? DeliveryFailure.FINAL : known.fate();
  }

  /**
   * Returns what an error response to a request means.
   *
   * @param code Twilio's code, or 0 if the response had none
   */
  static DeliveryFailure fate(int httpStatus, int code) {
    if (KNOWN.containsKey(code)) {
      return fate(code);
    }
    if (httpStatus == TOO_MANY_REQUESTS) {
      return DeliveryFailure.NEVER_PROCESSED;
    }
    if (httpStatus >= SERVER_ERROR || httpStatus == REQUEST_TIMEOUT) {
      return DeliveryFailure.MAY_HAVE_GONE_OUT;
    }
    return code == 0 && httpStatus == UNAUTHORIZED
        ? DeliveryFailure.MISCONFIGURED
        : DeliveryFailure.FINAL;
  }
}
