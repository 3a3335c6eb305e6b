package org.habitline.timers;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import org.habitline.storage.Transactions;

/**
 * Moves study time forward, for rehearsals. How far it was moved is stored, so that it does not
 * fall back at the next start. One process moves it at a time; other nodes notice at their next
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

  /** Goes on from where study time was moved to before the program started. */
  public void restore() {
    transactions
        .read(() -> rows.ahead())
        .ifPresent(millis -> clock.setAhead(Duration.ofMillis(millis)));
  }

  /**
   * Moves study time to an instant and turns what is due then into work. Returns how many wake-ups
   * rang. Does nothing to the time if it is there already.
   */
  public synchronized int moveTo(Instant target) {
    var by = Duration.between(clock.instant(), target);
    if (by.isPositive()) {
      // Rounded up: what is due then is due.
      var ahead = Duration.ofMillis(clock.ahead().plus(by).plusNanos(999_999).toMillis());
      transactions.write(() -> rows.open() + rows.ahead(ahead.toMillis()));
      clock.setAhead(ahead);
    }
    return sweeps.sweep();
  }
}
