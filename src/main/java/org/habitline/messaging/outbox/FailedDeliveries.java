package org.habitline.messaging.outbox;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.habitline.messaging.DeliveryFailure;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.storage.Ids;
import org.jspecify.annotations.Nullable;

/**
 * Handles messages that a provider accepted and could not deliver. A message is sent once more if
 * its error allows that, if it is still wanted, and if nothing later was sent, so that messages
 * never arrive out of order. Everything joins the running transaction.
 */
@Singleton
final class FailedDeliveries {

  private final JdbcOutbox outbox;
  private final Refusals refusals;
  private final Participants participants;
  private final Senders senders;
  private final RetryPolicy retries;
  private final DeliveryNews news;
  private final Clock systemClock;

  FailedDeliveries(
      JdbcOutbox outbox,
      Refusals refusals,
      Participants participants,
      Senders senders,
      RetryPolicy retries,
      DeliveryNews news,
      @Named("system") Clock systemClock) {
    this.outbox = outbox;
    this.refusals = refusals;
    this.participants = participants;
    this.senders = senders;
    this.retries = retries;
    this.news = news;
    this.systemClock = systemClock;
  }

  /** Locks what must be locked before the message: the address, then the participant. */
  void prepare(JdbcOutbox.Row text, Optional<DeliveryFailure> fate) {
    if (fate.filter(DeliveryFailure.OPTED_OUT::equals).isPresent()) {
      participants.blockedByProvider(text.participantId());
    }
    participants.hold(text.participantId());
  }

  void failed(JdbcOutbox.Row text, DeliveryFailure fate, @Nullable String code) {
    var receiver = participants.findWithContacts(text.participantId());
    if (receiver.isEmpty()) {
      return;
    }
    if (fate == DeliveryFailure.OPTED_OUT) {
      refusals.withhold(receiver.get());
    }
    RetryPolicy.stopsSender(fate)
        .ifPresent(
            every -> senders.stop(text.channel(), code == null ? "unknown" : code, true, every));
    if (outbox.isStray(text.id()) > 0) {
      // A duplicate: what counts is the outcome of the message that it repeats.
      return;
    }
    if (outbox.repeats(text.participantId(), text.id()) > 0) {
      // It was sent again: what counts is the outcome of the newer delivery.
      return;
    }
    var pause = again(text, fate, receiver.get());
    if (pause.isPresent()) {
      sendAgain(text, fate, pause.get());
      return;
    }
    news.undelivered(
        text.message(receiver.get()), "undelivered" + (code == null ? "" : ": " + code));
  }

  private void sendAgain(JdbcOutbox.Row text, DeliveryFailure fate, Duration pause) {
    var id = Ids.ordered("dlv");
    outbox.insertAgain(
        id,
        text.id(),
        text.outsideWindow() || fate == DeliveryFailure.WINDOW_CLOSED,
        systemClock.instant().plus(pause));
    news.moved(text.participantId(), id, text.channel(), DeliveryStatus.PLANNED, null);
  }

  /** Returns the pause before the message is sent again, or empty if it is not. */
  private Optional<Duration> again(
      JdbcOutbox.Row text, DeliveryFailure fate, Participant receiver) {
    return retries
        .afterReport(fate, text, receiver)
        .filter(wait -> isWanted(text, receiver, systemClock.instant().plus(wait)));
  }

  private boolean isWanted(JdbcOutbox.Row text, Participant receiver, Instant then) {
    return text.withheld() == null
        && text.kind().mayGoTo(receiver.status(), receiver.optedOut())
        && then.isBefore(text.expiresAt())
        && (text.kind().isUrgent()
            || outbox.takenAfter(text.participantId(), text.channel(), text.order()) == 0);
  }
}
