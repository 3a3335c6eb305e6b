package org.habitline.messaging;

import io.micronaut.transaction.TransactionOperations;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.time.Clock;
import java.util.Map;
import org.habitline.audit.Events;
import org.habitline.participants.Participants;

/**
 * What providers report of texts they took. Each report is kept once; it moves its text forward and
 * never back. A report that comes before we know the provider's id of the text waits for it.
 */
@Singleton
public final class DeliveryReports {

  private static final int JOINED_AT_ONCE = 500;

  private final JdbcDeliveryEvents rows;
  private final JdbcOutbox outbox;
  private final Participants participants;
  private final Outbox planned;
  private final Events events;
  private final TransactionOperations<Connection> transactions;
  private final Clock systemClock;

  DeliveryReports(
      JdbcDeliveryEvents rows,
      JdbcOutbox outbox,
      Participants participants,
      Outbox planned,
      Events events,
      TransactionOperations<Connection> transactions,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.outbox = outbox;
    this.participants = participants;
    this.planned = planned;
    this.events = events;
    this.transactions = transactions;
    this.systemClock = systemClock;
  }

  /** Stores a report before returning; the same status of the same text is stored once. */
  public void accept(DeliveryReport report) {
    transactions.executeWrite(status -> {
      var stored =
          rows.insert(
              report.providerId(),
              report.status(),
              report.rank().progress(),
              report.errorCode(),
              report.optOut(),
              systemClock.instant());
      if (stored == 1) {
        join(report.providerId());
      }
      return true;
    });
  }

  /** Joins what waited for this text; joins the running transaction. */
  void join(String providerId) {
    rows.waiting(providerId).forEach(this::join);
  }

  /**
   * Joins what a text and its report left undone because neither saw the other being written.
   * Called now and then.
   */
  void joinWhatWaits() {
    transactions.executeWrite(status -> {
      rows.joinable(JOINED_AT_ONCE).forEach(this::join);
      return true;
    });
  }

  private void join(JdbcDeliveryEvents.Row report) {
    var text = outbox.sentAs(report.providerId());
    if (text.isEmpty() || rows.join(report.seq()) == 0) {
      return;
    }
    var participantId = text.get().participantId();
    var moved =
        outbox.move(
            text.get().id(),
            DeliveryReport.Rank.word(report.progress()),
            report.progress(),
            report.errorCode());
    if (moved > 0) {
      events.emit(
          "delivery.updated",
          participantId,
          Map.of("id", text.get().id(), "status", DeliveryReport.Rank.word(report.progress())));
    }
    if (report.optOut() && participants.optOut(participantId, "provider")) {
      participants.find(participantId).ifPresent(planned::withhold);
    }
  }
}
