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
 * What follows when a text met an error: whether it is tried again, after how long, what it waits
 * for, and whether its sender stops. The same errors come as the answer to a send and, of a text
 * that was taken, in a report of later. Changes nothing; safe for any number of threads.
 */
@Singleton
final class RetryPolicy {

  /** A text whose fate is unknown is looked up again after this long. */
  static final Duration LOOK_AGAIN = Duration.ofSeconds(15);

  /** A text whose fate stays unknown blocks those behind it no longer than this. */
  private static final Duration UNKNOWN_AT_MOST = Duration.ofMinutes(10);

  /** A phone that was not reached: sent again so long after the answer, and after the report. */
  private static final Duration ONCE_MORE_AFTER_ANSWER = Duration.ofMinutes(5);

  private static final Duration ONCE_MORE_AFTER_REPORT = Duration.ofMinutes(15);

  /** A carrier's quiet hours last so long at least. */
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
   * Returns after how long a text is sent again that the provider did not take, or empty if it is
   * given up.
   *
   * @param attempts with the one that failed
   * @param receiver empty if they are not there any more
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
   * Returns after how long a text is sent again that the provider took and could not deliver, or
   * empty if it is given up.
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

  /** Whether a text that was refused as free words can still go out as a template. */
  static boolean hasTemplateLeft(JdbcOutbox.Row text) {
    return text.template() != null && !text.outsideWindow();
  }

  /**
   * Returns how soon one text is tried again if the error stops its sender, or empty if the error
   * is about the one text only.
   */
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

  /** Returns what a text waits for after such an error. */
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

  /** Whether a text whose fate has been unknown since then is looked up no more. */
  static boolean isGivenUp(Instant unknownSince, Instant now) {
    return unknownSince.plus(UNKNOWN_AT_MOST).isBefore(now);
  }

  /**
   * A carrier's quiet hours are not known exactly: they end no later than the allowed ones begin.
   */
  private Duration untilQuietHoursEnd(Participant receiver) {
    return longer(hours.untilAllowed(receiver), QUIET_AT_LEAST);
  }

  /** Twice as long after every attempt, and not the same for everybody. */
  private static Duration backoff(Duration least, int attempts) {
    var pause = FIRST_PAUSE_AFTER_ANSWER.multipliedBy(1L << Math.min(attempts, MOST_DOUBLINGS));
    var jittered = pause.plusMillis(ThreadLocalRandom.current().nextLong(pause.toMillis() / 4 + 1));
    return longer(least, jittered);
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }
}
