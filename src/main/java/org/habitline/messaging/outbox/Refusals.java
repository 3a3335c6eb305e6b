package org.habitline.messaging.outbox;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.Optional;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.messaging.OutboundMessage;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;

/**
 * Ends texts that will not be sent, and says so. Everything joins the running transaction and holds
 * the participant before it touches a text.
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

  /** Returns why a text may not go to its receiver as they are now, or empty if it may. */
  static Optional<String> whyUnwanted(JdbcOutbox.Row row, Participant receiver) {
    if (row.withheld() != null) {
      return Optional.of(row.withheld());
    }
    return row.kind().mayGoTo(receiver.status(), receiver.optedOut())
        ? Optional.empty()
        : Optional.of(receiver.optedOut() ? "opted out" : receiver.status().word());
  }

  /**
   * Ends what may not go to the receiver as they are now. What is being sent at this moment goes
   * out, but is not sent once more if it turns out that it did not.
   */
  void withhold(Participant receiver) {
    for (var row : rows.open(receiver.id())) {
      var unwanted = whyUnwanted(row, receiver);
      if (unwanted.isPresent()
          && !(row.status() == DeliveryStatus.PLANNED
              && refuse(row, row.message(receiver), unwanted.get()))) {
        rows.withhold(row.id(), unwanted.get());
      }
    }
  }

  /** Ends a text that waits, unless somebody is sending it by now; returns whether they are not. */
  boolean refuse(JdbcOutbox.Row row, OutboundMessage message, String reason) {
    participants.hold(row.participantId());
    if (!end(message, row.status(), row.attempts(), Trouble.ours(reason))) {
      return false;
    }
    news.refused(row, message, reason);
    return true;
  }

  /** Ends a text whose time is over, or that may not leave in its own words any more. */
  void miss(JdbcOutbox.Row row, OutboundMessage message, Trouble trouble) {
    participants.hold(row.participantId());
    if (end(message, row.status(), row.attempts(), trouble)) {
      news.missed(row, message, trouble.words());
    }
  }

  /** Ends a text to somebody of whom nothing is left; there is nobody to be told. */
  void ownerless(JdbcOutbox.Row row) {
    var _ = ended(row.id(), row.status(), row.attempts(), Trouble.ours("the participant is gone"));
  }

  /** Ends a text that is as it was seen; returns whether it was. No listener is told. */
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
