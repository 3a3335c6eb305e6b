package org.habitline.messaging.outbox;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.habitline.messaging.Restored;
import org.habitline.storage.Transactions;

/**
 * Records whether all sending is stopped. Texts are still accepted and handled; the replies wait in
 * the outbox. A stop takes effect in this process at once and in others within a second, because
 * each reads the database again when its copy is that old.
 */
@Singleton
public final class SendingStop {

  private static final Duration KNOWN_FOR = Duration.ofSeconds(1);

  private final JdbcSendingStop rows;
  private final Restored restored;
  private final Transactions transactions;
  private final Clock systemClock;
  private final AtomicReference<Known> known = new AtomicReference<>(notAsked());

  SendingStop(
      JdbcSendingStop rows,
      Restored restored,
      Transactions transactions,
      @Named("system") Clock systemClock) {
    this.restored = restored;
    this.rows = rows;
    this.transactions = transactions;
    this.systemClock = systemClock;
  }

  /** Who stopped all sending, when (system time) and why. */
  public record Stopped(Instant at, String by, String reason) {}

  private record Known(Instant asked, Optional<Stopped> stopped) {}

  /** Returns the stop that is in force, if there is one; up to a second old. */
  public Optional<Stopped> inForce() {
    var now = systemClock.instant();
    var before = known.get();
    if (!now.isBefore(before.asked()) && now.isBefore(before.asked().plus(KNOWN_FOR))) {
      return before.stopped();
    }
    return askAgain();
  }

  /**
   * Returns whether messages wait: because of a stop that is in force, or in a restored backup
   * about which nobody has decided.
   */
  public boolean isHolding() {
    return inForce().isPresent() || restored.waits().isPresent();
  }

  private static Known notAsked() {
    return new Known(Instant.MIN, Optional.empty());
  }

  /**
   * Reads the stop from the database, so that senders need not. Discards what it read if this
   * process stopped or resumed sending in the meantime.
   */
  Optional<Stopped> askAgain() {
    var before = known.get();
    var asked = new Known(systemClock.instant(), read());
    known.compareAndSet(before, asked);
    return asked.stopped();
  }

  private Optional<Stopped> read() {
    return transactions
        .read(() -> rows.find())
        .map(row -> new Stopped(row.stoppedAt(), row.stoppedBy(), row.reason()));
  }

  /**
   * Stops all sending; returns false, and changes nothing, if it is stopped already. Joins the
   * running transaction. A message that the provider has at this moment is not recalled.
   */
  public boolean stop(String by, String reason) {
    forgetAfterCommit();
    return rows.insert(systemClock.instant(), by, reason) == 1;
  }

  /**
   * Resumes sending; returns the stop that was in force, or empty if there was none. Joins the
   * running transaction.
   */
  public Optional<Stopped> resume() {
    forgetAfterCommit();
    var stopped = read();
    return rows.delete() == 1 ? stopped : Optional.empty();
  }

  private void forgetAfterCommit() {
    transactions.afterCommit(() -> known.set(notAsked()));
  }
}
