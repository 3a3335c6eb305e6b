package org.habitline.messaging;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Knows whether the database is a restored backup. What waits in one may have been done after the
 * backup was made. So until staff decide, no turn runs but for a STOP, no wake-up is claimed and no
 * job starts; texts are stored and screened, and only crisis texts and confirmations of STOP are
 * sent. Then what waits is either skipped or done.
 */
@Singleton
public final class Restored {

  /** The reason of everything that is skipped. */
  public static final String REASON = "restored";

  private final JdbcRestored rows;
  private final Transactions transactions;
  private final Clock clock;
  private final Clock systemClock;
  private volatile JdbcRestored.@Nullable Row known;

  Restored(
      JdbcRestored rows,
      Transactions transactions,
      Clock clock,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.transactions = transactions;
    this.clock = clock;
    this.systemClock = systemClock;
  }

  /** Records that the database is the backup of this instant; nobody has decided about it yet. */
  public void mark(Instant madeAt) {
    transactions.write(() -> {
      rows.delete();
      return rows.insert(madeAt);
    });
  }

  /** Returns when the newest event of the database was recorded, or empty if there is none. */
  public Optional<Instant> newestEvent() {
    return transactions.read(rows::newestEvent);
  }

  /** Reads the database again; returns whether nobody has decided yet. */
  public boolean look() {
    known = transactions.read(rows::find).orElse(null);
    return waits().isPresent();
  }

  /** Returns when the backup was made, as long as nobody has decided; up to a second old. */
  public Optional<Instant> waits() {
    var row = known;
    return row == null || row.decidedAt() != null ? Optional.empty() : Optional.of(row.madeAt());
  }

  /**
   * Decides about everything that waits now; returns false if there is nothing to decide, or
   * somebody has. If it is skipped, actions for many and imports that had not ended end. Joins the
   * running transaction.
   *
   * @param skip whether it is skipped
   */
  public boolean decide(boolean skip) {
    transactions.afterCommit(this::look);
    var now = systemClock.instant();
    if (rows.decide(now, skip, clock.instant()) == 0) {
      return false;
    }
    if (skip) {
      rows.endBulkTargets(now, REASON);
      rows.endBulkActions(now, REASON);
      rows.leaveOutImported(REASON);
      rows.endImports(now);
    }
    return true;
  }

  /** Returns whether a text is skipped, by its number in the inbox: it waited at the decision. */
  public boolean skipsText(long seq) {
    var row = known;
    return row != null && row.skips() && seq <= row.textSeq();
  }

  /**
   * Returns whether a greeting or a request is skipped, by its number in the inbox: it was in the
   * backup. What staff began since was never done before.
   */
  public boolean skipsFound(long seq) {
    var row = known;
    return row != null && row.skips() && seq <= row.inboxSeq();
  }

  /** Returns whether a message is skipped, by its number in the outbox: it was in the backup. */
  public boolean skipsMessage(long seq) {
    var row = known;
    return row != null && row.skips() && seq <= row.outboxSeq();
  }

  /** Returns whether what was due at this study time is skipped. */
  public boolean skipsDue(Instant dueAt) {
    var row = known;
    return row != null && row.skips() && row.dueUntil() != null && !dueAt.isAfter(row.dueUntil());
  }
}
