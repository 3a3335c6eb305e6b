package org.habitline.timers;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import org.habitline.storage.Transactions;

/**
 * Moves study time forward, for rehearsals. The distance is stored, so that time does not go back
 * at the next start. Only one process may move it at a time; other nodes notice at their next
 * start.
 */
@Singleton
public final class StudyTime {

  private final StudyClock clock;
  private final JdbcStudyClock rows;
  private final Sweeps sweeps;
  private final Transactions transactions;

  StudyTime(StudyClock clock, JdbcStudyClock rows, Sweeps sweeps, Transactions transactions) {
    this.clock = clock;
    this.rows = rows;
    this.sweeps = sweeps;
    this.transactions = transactions;
  }

  public Instant now() {
    return clock.instant();
  }

  /** Restores how far study time was moved before the program started. */
  public void restore() {
    transactions
        .read(() -> rows.ahead())
        .ifPresent(millis -> clock.setAhead(Duration.ofMillis(millis)));
  }

  /**
   * Moves study time to an instant, turns everything due by then into work, and returns how many
   * wake-ups that were. Leaves the time as it is if the instant is not in the future.
   */
  public synchronized int moveTo(Instant target) {
    var by = Duration.between(clock.instant(), target);
    if (by.isPositive()) {
      // Rounded up, so that a wake-up due at the target is due after the move.
      var ahead = Duration.ofMillis(clock.ahead().plus(by).plusNanos(999_999).toMillis());
      transactions.write(() -> rows.open() + rows.ahead(ahead.toMillis()));
      clock.setAhead(ahead);
    }
    return sweeps.sweep();
  }
}
