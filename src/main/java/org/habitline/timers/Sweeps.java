package org.habitline.timers;

import jakarta.inject.Singleton;
import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.habitline.storage.Database;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns due wake-ups into work, each in one transaction with the work it becomes. Sweeps run when a
 * {@link SweepTrigger} starts one, and every few seconds in any case, on any number of threads and
 * nodes at once.
 */
@Singleton
public final class Sweeps {

  private static final Logger log = LoggerFactory.getLogger(Sweeps.class);

  /**
   * Each node sweeps this often even without triggers: their tables may be locked by a node that is
   * frozen.
   */
  private static final Duration PLAIN_SWEEP_EVERY = Duration.ofSeconds(5);

  private static final Duration AT_THE_END = Duration.ofSeconds(3);

  private static final int BELLS_AT_ONCE = 1000;
  private static final int CLAIMED_AT_ONCE = 500;

  private final JdbcWakeups rows;
  private final Timers timers;
  private final WakeupHandler handler;
  private final SweepTrigger bells;
  private final Transactions transactions;
  private final Clock clock;
  private @Nullable ScheduledExecutorService plainSweep;

  Sweeps(
      JdbcWakeups rows,
      Timers timers,
      WakeupHandler handler,
      SweepTrigger bells,
      Transactions transactions,
      Clock clock) {
    this.rows = rows;
    this.timers = timers;
    this.handler = handler;
    this.bells = bells;
    this.transactions = transactions;
    this.clock = clock;
  }

  /**
   * Starts sweeping. The first sweep, at once, finds what became due while the service was down.
   */
  public void start() {
    // The plain sweep starts first, so that no failure of the triggers can prevent it.
    var timer =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("plain-sweep").factory());
    plainSweep = timer;
    var _ =
        timer.scheduleWithFixedDelay(
            () -> orSay(this::ringWhatIsDue),
            PLAIN_SWEEP_EVERY.toMillis(),
            PLAIN_SWEEP_EVERY.toMillis(),
            TimeUnit.MILLISECONDS);
    bells.start(() -> orSay(this::sweep));
    Thread.ofVirtual().name("first-sweep").start(() -> orSay(this::sweep));
  }

  public void stop() {
    var timer = plainSweep;
    if (timer != null) {
      // Not interrupted: an interrupt during a write makes H2 close its file.
      timer.shutdown();
    }
    bells.stop();
    if (timer != null) {
      await(timer);
    }
  }

  private static void await(ExecutorService timer) {
    try {
      if (!timer.awaitTermination(AT_THE_END.toMillis(), TimeUnit.MILLISECONDS)) {
        log.warn(
            "A sweep for wake-ups did not finish in time and was abandoned; no wake-up is lost");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Turns all due wake-ups into work, sets triggers for those due soon, and returns how many were
   * due.
   */
  public int sweep() {
    var rung = ringWhatIsDue();
    setBells();
    return rung;
  }

  private int ringWhatIsDue() {
    var rung = 0;
    int claimed;
    do {
      claimed = transactions.writeWith(connection -> claim(connection));
      rung += claimed;
    } while (claimed == CLAIMED_AT_ONCE);
    return rung;
  }

  private int claim(Connection connection) {
    var now = clock.instant();
    var due =
        Database.isFile(connection)
            ? rows.claimInFile(now, CLAIMED_AT_ONCE)
            : rows.claim(now, CLAIMED_AT_ONCE);
    if (!due.isEmpty()) {
      rows.rung(due.stream().map(JdbcWakeups.Row::id).toArray(String[]::new));
      handler.woke(due.stream().map(Timers::read).toList());
    }
    return due.size();
  }

  private void setBells() {
    var now = clock.instant();
    transactions
        .read(() -> rows.dueBetween(now, now.plus(Timers.BELLS_AHEAD), BELLS_AT_ONCE))
        .forEach(timers::ring);
  }

  private static void orSay(IntSupplier sweep) {
    try {
      var rung = sweep.getAsInt();
      if (rung > 0) {
        log.debug("{} wake-ups were started", rung);
      }
    } catch (RuntimeException | Error e) {
      log.warn("Due wake-ups could not be read; this is tried again: {}", e.getClass().getName());
    }
  }
}
