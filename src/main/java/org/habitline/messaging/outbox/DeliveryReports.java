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
 * What providers report of texts they took. Each report is kept once; it moves its text forward and
 * never back. A report that comes before we know the provider's id of the text waits for it.
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

  /** Stores a report before returning; the same status of the same text is stored once. */
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

  /** Whether a provider took a text of ours under this id. */
  public boolean knows(String providerId) {
    return transactions.read(() -> outbox.sentAs(providerId)).isPresent();
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
    transactions.write(() -> {
      rows.joinable(JOINED_AT_ONCE).forEach(this::join);
    });
  }

  /** Erases what was reported of a participant's texts; joins the running transaction. */
  public void erase(String participantId) {
    InBatches.deleteAll(rows.textsOf(participantId), rows::erase);
  }

  /** Forgets reports that no text was found for; it was erased, or is not ours. */
  public void forgetStrays() {
    var before = systemClock.instant().minus(STRAYS_KEPT);
    InBatches.of(transactions).delete(most -> rows.strays(before, most), rows::delete);
  }

  /** A failure holds the participant before it touches the text, like everybody who does both. */
  private void join(JdbcDeliveryEvents.Row report) {
    var found = outbox.sentAs(report.providerId());
    if (found.isEmpty()) {
      return;
    }
    var text = found.get();
    var status = DeliveryStatus.reported(report.status());
    var fate = Optional.ofNullable(report.fate());
    if (status.failed()) {
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
