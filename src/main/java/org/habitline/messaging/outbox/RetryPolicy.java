package org.habitline.messaging.outbox;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.habitline.messaging.Delivery;
import org.habitline.messaging.DeliveryFailure;
import org.habitline.participants.Participant;

/**
 * Decides what follows an error: whether the message is tried again, after what pause, what it
 * waits for, and whether its sender is stopped. The same errors come in the response to a send and
 * in later reports. Changes nothing; safe for any number of threads.
 */
@Singleton
final class RetryPolicy {

  /** The pause before a message with an unknown outcome is looked up again. */
  static final Duration LOOK_AGAIN = Duration.ofSeconds(15);

  /** How long a message with an unknown outcome may block later ones. */
  private static final Duration UNKNOWN_AT_MOST = Duration.ofMinutes(10);

  /** The pause before sending again to a phone that was not reached, after a response. */
  private static final Duration ONCE_MORE_AFTER_ANSWER = Duration.ofMinutes(5);

  private static final Duration ONCE_MORE_AFTER_REPORT = Duration.ofMinutes(15);

  /** The shortest time that a carrier's quiet hours are taken to last. */
  private static final Duration QUIET_AT_LEAST = Duration.ofMinutes(15);

  private static final Duration FIRST_PAUSE_AFTER_ANSWER = Duration.ofSeconds(1);
  private static final int MOST_DOUBLINGS = 8;

  private static final Duration FIRST_PAUSE_AFTER_REPORT = Duration.ofSeconds(30);
  private static final int PROCESSED_AT_LAST_AFTER = 5;

  private final SendingHours hours;

  RetryPolicy(SendingHours hours) {
    this.hours = hours;
  }

  /**
   * Returns the pause before a message is sent again that the provider did not accept, or empty if
   * it is given up.
   *
   * @param attempts including the one that failed
   * @param receiver empty if they no longer exist
   */
  Optional<Duration> afterAnswer(
      Delivery.Deferred deferred, int attempts, Optional<Participant> receiver) {
    return switch (deferred.why()) {
      case MISCONFIGURED -> Optional.of(Senders.TRIED_EVERY);
      case QUIET_HOURS ->
          Optional.of(receiver.map(this::untilQuietHoursEnd).orElse(QUIET_AT_LEAST));
      case NEXT_DAY -> Optional.of(receiver.map(hours::untilNextDay).orElse(Duration.ofDays(1)));
      case NOT_BY_RCS -> Optional.of(Duration.ZERO);
      case ONCE_MORE -> attempts > 1 ? Optional.empty() : Optional.of(ONCE_MORE_AFTER_ANSWER);
      case NEVER_PROCESSED, MAY_HAVE_GONE_OUT, OPTED_OUT, WINDOW_CLOSED, BAD_NUMBER, FINAL ->
          Optional.of(backoff(deferred.pause(), attempts));
    };
  }

  /**
   * Returns the pause before a message is sent again that the provider accepted and could not
   * deliver, or empty if it is given up.
   */
  Optional<Duration> afterReport(DeliveryFailure fate, JdbcOutbox.Row text, Participant receiver) {
    return switch (fate) {
      case NEVER_PROCESSED ->
          text.retries() < PROCESSED_AT_LAST_AFTER
              ? Optional.of(FIRST_PAUSE_AFTER_REPORT.multipliedBy(1L << text.retries()))
              : Optional.empty();
      case ONCE_MORE ->
          text.retries() == 0 ? Optional.of(ONCE_MORE_AFTER_REPORT) : Optional.empty();
      case QUIET_HOURS -> Optional.of(untilQuietHoursEnd(receiver));
      case NEXT_DAY -> Optional.of(hours.untilNextDay(receiver));
      case NOT_BY_RCS -> text.retries() == 0 ? Optional.of(Duration.ZERO) : Optional.empty();
      case WINDOW_CLOSED -> hasTemplateLeft(text) ? Optional.of(Duration.ZERO) : Optional.empty();
      case MISCONFIGURED -> Optional.of(Duration.ZERO);
      case MAY_HAVE_GONE_OUT, OPTED_OUT, BAD_NUMBER, FINAL -> Optional.empty();
    };
  }

  /** Returns whether a message refused as free-form can still be sent as a template. */
  static boolean hasTemplateLeft(JdbcOutbox.Row text) {
    return text.template() != null && !text.outsideWindow();
  }

  /** Returns the pause between tries if the error stops the sender, else empty. */
  static Optional<Duration> stopsSender(DeliveryFailure fate) {
    return switch (fate) {
      case MISCONFIGURED -> Optional.of(Senders.TRIED_EVERY);
      case NEXT_DAY -> Optional.of(Senders.FULL_TRIED_EVERY);
      case NEVER_PROCESSED,
          MAY_HAVE_GONE_OUT,
          ONCE_MORE,
          QUIET_HOURS,
          NOT_BY_RCS,
          WINDOW_CLOSED,
          OPTED_OUT,
          BAD_NUMBER,
          FINAL ->
          Optional.empty();
    };
  }

  /** Returns what a message waits for after this error. */
  static HoldReason waitsFor(DeliveryFailure fate) {
    return switch (fate) {
      case QUIET_HOURS -> HoldReason.CARRIER_HOURS;
      case MISCONFIGURED, NEXT_DAY -> HoldReason.SENDER_STOPPED;
      case NEVER_PROCESSED,
          MAY_HAVE_GONE_OUT,
          ONCE_MORE,
          NOT_BY_RCS,
          WINDOW_CLOSED,
          OPTED_OUT,
          BAD_NUMBER,
          FINAL ->
          HoldReason.RETRY;
    };
  }

  /** Returns whether a message has been unknown for too long to be looked up again. */
  static boolean isGivenUp(Instant unknownSince, Instant now) {
    return unknownSince.plus(UNKNOWN_AT_MOST).isBefore(now);
  }

  /**
   * Returns the time to wait for a carrier's quiet hours. Their end is not known exactly: it is no
   * later than the start of the allowed hours.
   */
  private Duration untilQuietHoursEnd(Participant receiver) {
    return longer(hours.untilAllowed(receiver), QUIET_AT_LEAST);
  }

  /** Returns a pause that doubles with every attempt, with jitter. */
  private static Duration backoff(Duration least, int attempts) {
    var pause = FIRST_PAUSE_AFTER_ANSWER.multipliedBy(1L << Math.min(attempts, MOST_DOUBLINGS));
    var jittered = pause.plusMillis(ThreadLocalRandom.current().nextLong(pause.toMillis() / 4 + 1));
    return longer(least, jittered);
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }
}
