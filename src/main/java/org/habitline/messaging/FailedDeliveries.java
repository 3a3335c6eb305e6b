package org.habitline.messaging;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.habitline.audit.Events;
import org.habitline.participants.OptOutSource;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.storage.Ids;
import org.jspecify.annotations.Nullable;

/**
 * What follows when a provider took a text and could not deliver it. It is sent once more if its
 * error allows that, if it is still wanted, and if nothing was sent after it: a text never arrives
 * behind one that was to come later. Everything joins the running transaction.
 */
@Singleton
final class FailedDeliveries {

  private static final int PROCESSED_AT_LAST_AFTER = 5;
  private static final Duration ONCE_MORE_AFTER = Duration.ofMinutes(15);
  private static final Duration QUIET_AT_LEAST = Duration.ofMinutes(15);
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(30);

  private final JdbcOutbox outbox;
  private final OutboxWorker worker;
  private final Participants participants;
  private final Senders senders;
  private final SendingHours hours;
  private final List<DeliveryListener> listeners;
  private final Events events;
  private final Clock systemClock;

  FailedDeliveries(
      JdbcOutbox outbox,
      OutboxWorker worker,
      Participants participants,
      Senders senders,
      SendingHours hours,
      List<DeliveryListener> listeners,
      Events events,
      @Named("system") Clock systemClock) {
    this.outbox = outbox;
    this.worker = worker;
    this.participants = participants;
    this.senders = senders;
    this.hours = hours;
    this.listeners = listeners;
    this.events = events;
    this.systemClock = systemClock;
  }

  /** Takes what must be taken before the text is touched: the address, then the participant. */
  void prepare(JdbcOutbox.Row text, Optional<Fate> fate) {
    if (fate.filter(Fate.OPTED_OUT::equals).isPresent()) {
      var _ = participants.optOut(text.participantId(), OptOutSource.PROVIDER);
    }
    participants.hold(text.participantId());
  }

  void failed(JdbcOutbox.Row text, Fate fate, @Nullable String code) {
    var receiver = participants.findWithContacts(text.participantId());
    if (receiver.isEmpty()) {
      return;
    }
    if (fate == Fate.OPTED_OUT) {
      worker.withhold(receiver.get());
    }
    if (fate == Fate.MISCONFIGURED) {
      senders.stop(text.channel(), code == null ? "unknown" : code, true, Senders.TRIED_EVERY);
    }
    if (fate == Fate.NEXT_DAY) {
      senders.stop(text.channel(), code == null ? "unknown" : code, true, Senders.FULL_TRIED_EVERY);
    }
    if (outbox.isStray(text.id()) > 0) {
      // It was never asked for: what became of the text that it repeats is what counts.
      return;
    }
    var pause = again(text, fate, receiver.get());
    if (pause.isPresent()) {
      sendAgain(text, fate, pause.get());
      return;
    }
    var message = OutboxWorker.message(text, receiver.get());
    var reason = "undelivered" + (code == null ? "" : ": " + code);
    listeners.forEach(listener -> listener.undelivered(message, reason));
  }

  private void sendAgain(JdbcOutbox.Row text, Fate fate, Duration pause) {
    var id = Ids.next("dlv");
    outbox.insertAgain(
        id,
        text.id(),
        text.outsideWindow() || fate == Fate.WINDOW_CLOSED,
        systemClock.instant().plus(pause));
    events.emit(
        DeliveryUpdate.TYPE,
        text.participantId(),
        DeliveryUpdate.of(id, DeliveryStatus.PLANNED, text.channel(), null));
  }

  /** Returns after how long the text is sent again, or empty if it is not. */
  private Optional<Duration> again(JdbcOutbox.Row text, Fate fate, Participant receiver) {
    var pause =
        switch (fate) {
          case NEVER_PROCESSED ->
              text.retries() < PROCESSED_AT_LAST_AFTER
                  ? Optional.of(FIRST_PAUSE.multipliedBy(1L << text.retries()))
                  : Optional.<Duration>empty();
          case ONCE_MORE ->
              text.retries() == 0 ? Optional.of(ONCE_MORE_AFTER) : Optional.<Duration>empty();
          case QUIET_HOURS -> {
            var wait = hours.untilAllowed(receiver);
            yield Optional.of(wait.compareTo(QUIET_AT_LEAST) > 0 ? wait : QUIET_AT_LEAST);
          }
          case NEXT_DAY -> Optional.of(hours.untilNextDay(receiver));
          case NOT_BY_RCS ->
              text.retries() == 0 ? Optional.of(Duration.ZERO) : Optional.<Duration>empty();
          case WINDOW_CLOSED ->
              text.template() != null && !text.outsideWindow()
                  ? Optional.of(Duration.ZERO)
                  : Optional.<Duration>empty();
          case MISCONFIGURED -> Optional.of(Duration.ZERO);
          case MAY_HAVE_GONE_OUT, OPTED_OUT, BAD_NUMBER, FINAL -> Optional.<Duration>empty();
        };
    return pause.filter(wait -> isWanted(text, receiver, systemClock.instant().plus(wait)));
  }

  private boolean isWanted(JdbcOutbox.Row text, Participant receiver, Instant then) {
    return text.withheld() == null
        && text.kind().mayGoTo(receiver.status(), receiver.optedOut())
        && (text.expiresAt() == null || then.isBefore(text.expiresAt()))
        && outbox.takenAfter(text.participantId(), text.channel(), text.order()) == 0;
  }
}
