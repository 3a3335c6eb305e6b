package org.habitline.messaging.outbox;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.Optional;
import java.util.function.Function;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.OutboundMessage;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;

/**
 * Ends messages that will not be sent, and announces it. Everything joins the running transaction
 * and locks the participant before a message.
 */
@Singleton
final class Refusals {

  private final JdbcOutbox rows;
  private final Participants participants;
  private final DeliveryNews news;
  private final Clock systemClock;

  Refusals(
      JdbcOutbox rows,
      Participants participants,
      DeliveryNews news,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.participants = participants;
    this.news = news;
    this.systemClock = systemClock;
  }

  /** Returns why a message may not be sent to its receiver as they are now, or empty if it may. */
  static Optional<String> whyUnwanted(JdbcOutbox.Row row, Participant receiver) {
    return Optional.ofNullable(row.withheld()).or(() -> whyUnwanted(row.kind(), receiver));
  }

  /** Returns why a message of a kind may not be sent to its receiver as they are now. */
  static Optional<String> whyUnwanted(OutboundKind kind, Participant receiver) {
    return kind.mayGoTo(receiver.status(), receiver.optedOut())
        ? Optional.empty()
        : Optional.of(receiver.optedOut() ? "opted out" : receiver.status().word());
  }

  /**
   * Ends the messages that may not be sent to the receiver as they are now. A message that is being
   * sent at this moment is not stopped, but it is not sent again if that attempt fails.
   */
  void withhold(Participant receiver) {
    withhold(receiver, row -> whyUnwanted(row, receiver));
  }

  /** Ends the messages that are not sent while coaching is paused, as {@link #withhold} does. */
  void withholdCoaching(Participant receiver) {
    withhold(
        receiver,
        row -> row.kind().waitsForSafety() ? Optional.of(CoachingPause.REASON) : Optional.empty());
  }

  private void withhold(
      Participant receiver, Function<JdbcOutbox.Row, Optional<String>> whyUnwanted) {
    for (var row : rows.open(receiver.id())) {
      var unwanted = whyUnwanted.apply(row);
      if (unwanted.isPresent()
          && !(row.status() == DeliveryStatus.PLANNED
              && refuse(row, row.message(receiver), unwanted.get()))) {
        rows.withhold(row.id(), unwanted.get());
      }
    }
  }

  /** Ends a waiting message; returns false if it is being sent by now. */
  boolean refuse(JdbcOutbox.Row row, OutboundMessage message, String reason) {
    participants.hold(row.participantId());
    if (!end(message, row.status(), row.attempts(), Trouble.ours(reason))) {
      return false;
    }
    news.refused(row, message, reason);
    return true;
  }

  /** Ends a message that is too late, or that may no longer be sent as a free-form message. */
  void miss(JdbcOutbox.Row row, OutboundMessage message, Trouble trouble) {
    participants.hold(row.participantId());
    if (end(message, row.status(), row.attempts(), trouble)) {
      news.missed(row, message, trouble.words());
    }
  }

  /** Ends a message to a participant who no longer exists; calls no listener. */
  void ownerless(JdbcOutbox.Row row) {
    var _ =
        ended(row.id(), row.status(), row.attempts(), Trouble.ours("the participant was erased"));
  }

  /** Ends a message if unchanged since it was read; returns whether it did. Calls no listener. */
  boolean end(OutboundMessage message, DeliveryStatus was, int attempts, Trouble trouble) {
    if (!ended(message.id(), was, attempts, trouble)) {
      return false;
    }
    news.moved(message, DeliveryStatus.REFUSED, trouble.code());
    return true;
  }

  private boolean ended(String id, DeliveryStatus was, int attempts, Trouble trouble) {
    return rows.end(
            id,
            was,
            attempts,
            DeliveryStatus.REFUSED,
            trouble.words(),
            trouble.failure(),
            trouble.code(),
            systemClock.instant(),
            null)
        > 0;
  }
}
