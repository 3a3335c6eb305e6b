package org.habitline.storage;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A background thread that carries out stored work piece by piece: without a pause while there is
 * any, else after a second or when it is nudged. After a failure it continues a second later. The
 * work itself is in the database, so the next start continues what a stop or a crash left.
 */
public final class BackgroundWork {

  private static final Logger log = LoggerFactory.getLogger(BackgroundWork.class);

  /** How long it waits until it looks for work again. */
  public static final Duration POLL = Duration.ofSeconds(1);

  private static final Duration STOPS_WITHIN = Duration.ofSeconds(5);

  private final String name;
  private final BooleanSupplier isDue;
  private final BooleanSupplier next;
  private final Semaphore awake = new Semaphore(0);
  private volatile boolean open;
  private volatile @Nullable Thread thread;

  /**
   * @param name of the thread, and of the work in the log
   * @param isDue whether there is work, without a write transaction
   * @param next carries out one piece, and returns whether there was any
   */
  public BackgroundWork(String name, BooleanSupplier isDue, BooleanSupplier next) {
    this.name = name;
    this.isDue = isDue;
    this.next = next;
  }

  /** Starts the thread. */
  public void start() {
    open = true;
    thread = Thread.ofVirtual().name(name).start(this::run);
  }

  /** Stops the thread after the piece that it carries out, and waits up to 5 seconds for it. */
  public void stop() {
    open = false;
    nudge();
    var running = thread;
    try {
      if (running != null) {
        var _ = running.join(STOPS_WITHIN);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Makes the thread look for work at once. */
  public void nudge() {
    if (awake.availablePermits() == 0) {
      awake.release();
    }
  }

  private void run() {
    while (open) {
      try {
        if (isDue.getAsBoolean()) {
          carryOut();
        }
      } catch (RuntimeException | Error e) {
        log.warn("{}: interrupted, continues in a moment: {}", name, e.getClass().getName());
      }
      try {
        if (awake.tryAcquire(POLL.toMillis(), TimeUnit.MILLISECONDS)) {
          awake.drainPermits();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private void carryOut() {
    var more = true;
    while (open && more) {
      more = next.getAsBoolean();
    }
  }
}
