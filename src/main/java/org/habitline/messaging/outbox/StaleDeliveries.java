package org.habitline.messaging.outbox;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.habitline.messaging.Attempt;
import org.habitline.messaging.Channel;
import org.habitline.messaging.Channels;
import org.habitline.messaging.LookUp;
import org.habitline.participants.Participants;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks providers about messages without a final report: a callback may be lost, and some carriers
 * never report more than that a message was sent. Asks for a day, after growing pauses.
 */
@Singleton
final class StaleDeliveries {

  private static final Logger log = LoggerFactory.getLogger(StaleDeliveries.class);
  private static final int AT_ONCE = 100;

  /** How long after accepting a message a provider is first asked if it has not reported. */
  static final Duration ASKED_AFTER = Duration.ofMinutes(10);

  private static final Duration ASKED_FOR = Duration.ofHours(24);

  private final JdbcOutbox rows;
  private final Channels channels;
  private final DeliveryReports reports;
  private final Participants participants;
  private final DeliveryRecorder recorder;
  private final Transactions transactions;
  private final Clock clock;

  StaleDeliveries(
      JdbcOutbox rows,
      Channels channels,
      DeliveryReports reports,
      Participants participants,
      DeliveryRecorder recorder,
      Transactions transactions,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.channels = channels;
    this.reports = reports;
    this.participants = participants;
    this.recorder = recorder;
    this.transactions = transactions;
    this.clock = systemClock;
  }

  /** Asks about the messages that are due, one after the other. Called periodically. */
  void ask() {
    for (var row : transactions.read(() -> rows.toAsk(clock.instant(), AT_ONCE))) {
      var askAt = row.askAt();
      if (askAt != null && transactions.write(() -> rows.askNext(row.id(), askAt, next(row)) > 0)) {
        ask(row);
      }
    }
  }

  private void ask(JdbcOutbox.Row row) {
    var channel = channels.of(row.channel());
    if (channel.isEmpty()) {
      return;
    }
    try {
      if (row.providerId() == null) {
        find(row, channel.get());
      } else {
        channel.get().report(row.providerId()).ifPresent(reports::accept);
      }
    } catch (RuntimeException e) {
      log.warn("The outcome of delivery {} is still unknown: {}", row.id(), e.getClass().getName());
    }
  }

  /** Looks up a message that was given up as unknown, to record its outcome; it is not sent. */
  private void find(JdbcOutbox.Row row, Channel channel) {
    var receiver = participants.findWithLeaving(row.participantId());
    if (receiver.isEmpty()) {
      return;
    }
    var others = transactions.read(() -> rows.otherIds(row.participantId(), row.id()));
    var at = row.attemptedAt() == null ? row.plannedAt() : row.attemptedAt();
    var message = row.asSent(receiver.get()).named(participants);
    switch (channel.lookUp(message, new Attempt(at, Set.copyOf(others)))) {
      case LookUp.Sent sent ->
          transactions.write(() -> recorder.foundAfterAll(message, sent.providerId()));
      case LookUp.NotSent notSent ->
          transactions.write(() -> rows.lostAfterAll(row.id(), "the provider has no record of it"));
      case LookUp.CannotTell cannotTell -> {}
    }
  }

  /** Returns when to ask next: after as long again as it has been, for a day. */
  private @Nullable Instant next(JdbcOutbox.Row row) {
    var since = row.endedAt() == null ? row.plannedAt() : row.endedAt();
    var now = clock.instant();
    var waited = Duration.between(since, now);
    return waited.compareTo(ASKED_FOR) >= 0 ? null : now.plus(waited);
  }
}
