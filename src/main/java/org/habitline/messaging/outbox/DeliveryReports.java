package org.habitline.messaging.outbox;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.habitline.messaging.DeliveryFailure;
import org.habitline.messaging.DeliveryReport;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.storage.InBatches;
import org.habitline.storage.Transactions;

/**
 * Stores what providers report on messages they accepted. Each report is stored once and moves its
 * message forward, never back. A report that comes before we know the provider's id of the message
 * waits for it.
 */
@Singleton
public final class DeliveryReports {

  private static final int JOINED_AT_ONCE = 500;
  private static final Duration STRAYS_KEPT = Duration.ofDays(7);

  private final JdbcDeliveryEvents rows;
  private final JdbcOutbox outbox;
  private final FailedDeliveries failures;
  private final Senders senders;
  private final DeliveryNews news;
  private final Transactions transactions;
  private final Clock systemClock;

  DeliveryReports(
      JdbcDeliveryEvents rows,
      JdbcOutbox outbox,
      FailedDeliveries failures,
      Senders senders,
      DeliveryNews news,
      Transactions transactions,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.outbox = outbox;
    this.failures = failures;
    this.senders = senders;
    this.news = news;
    this.transactions = transactions;
    this.systemClock = systemClock;
  }

  /** Stores a report before returning; the same status of the same message is stored once. */
  public void accept(DeliveryReport report) {
    transactions.write(() -> {
      var stored =
          rows.insert(
              report.providerId(),
              report.status(),
              report.rank().rank(),
              report.errorCode(),
              report.fate(),
              systemClock.instant());
      if (stored == 1) {
        join(report.providerId());
      }
      return true;
    });
  }

  /** Returns whether a provider accepted a message of ours under this id. */
  public boolean knows(String providerId) {
    return transactions.read(() -> outbox.sentAs(providerId)).isPresent();
  }

  /** Applies the reports that waited for this message; joins the running transaction. */
  void join(String providerId) {
    rows.waiting(providerId).forEach(this::join);
  }

  /**
   * Applies reports whose message was written at the same time, so that neither transaction saw the
   * other. Called periodically.
   */
  void joinWhatWaits() {
    transactions.write(() -> {
      rows.joinable(JOINED_AT_ONCE).forEach(this::join);
    });
  }

  /** Erases the reports on a participant's messages; joins the running transaction. */
  public void erase(String participantId) {
    InBatches.deleteAll(rows.textsOf(participantId), rows::erase);
  }

  /** Deletes old reports that match no message; it was erased, or is not ours. */
  public void forgetStrays() {
    var before = systemClock.instant().minus(STRAYS_KEPT);
    InBatches.of(transactions).delete(most -> rows.strays(before, most), rows::delete);
  }

  /**
   * Applies a report. For a failure, locks the participant before the message, as everything does
   * that locks both; for a later report on a failed message too, because staff may be sending it
   * again at this moment.
   */
  private void join(JdbcDeliveryEvents.Row report) {
    var found = outbox.sentAs(report.providerId());
    if (found.isEmpty()) {
      return;
    }
    var text = found.get();
    var status = DeliveryStatus.reported(report.status());
    var fate = Optional.ofNullable(report.fate());
    if (status.failed() || text.status().failed()) {
      failures.prepare(text, fate);
    }
    if (rows.join(report.seq()) == 0
        || outbox.move(text.id(), status, status.rank(), report.fate(), report.errorCode()) == 0) {
      return;
    }
    news.moved(text.participantId(), text.id(), text.channel(), status, report.errorCode());
    if (status.failed()) {
      failures.failed(text, fate.orElse(DeliveryFailure.FINAL), report.errorCode());
    } else if (status.left() && text.attemptedAt() != null) {
      senders.left(text.channel(), text.attemptedAt());
    }
  }
}
