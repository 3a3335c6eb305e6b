package org.habitline.study;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.habitline.messaging.MessagingLifecycle;
import org.habitline.timers.StudyTime;
import org.habitline.timers.Timers;

/**
 * Moves study time forward in a rehearsal, from one wake-up to the next, so that every job runs in
 * order and at its time. Jumping over a day would make its prompts missed.
 */
@Singleton
public final class StudyWalk {

  /** How long a move waits for the turns of one instant before it continues without them. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final Duration LOOK = Duration.ofMillis(1);

  private final StudyTime time;
  private final Timers timers;
  private final MessagingLifecycle line;

  StudyWalk(StudyTime time, Timers timers, MessagingLifecycle line) {
    this.time = time;
    this.timers = timers;
    this.line = line;
  }

  /**
   * The result of a move.
   *
   * @param now study time
   * @param nextWakeup when the next wake-up is due, if there is one
   * @param wakeups how many wake-ups ran during the move
   */
  public record Walked(Instant now, Optional<Instant> nextWakeup, int wakeups) {}

  /** Returns the current study time and the next wake-up. */
  public Walked here() {
    return new Walked(time.now(), timers.nextDue(), 0);
  }

  /** Moves study time forward by a duration; blocks until every job on the way has run. */
  public synchronized Walked by(Duration duration) {
    return to(time.now().plus(duration));
  }

  /** Moves study time to the next wake-up, or not at all if there is none. */
  public synchronized Walked toNext() {
    return timers.nextDue().map(this::to).orElseGet(this::here);
  }

  /** Moves study time to an instant; blocks until every job on the way has run. */
  public synchronized Walked to(Instant target) {
    var wakeups = 0;
    settle();
    for (var next = next(target); next.isPresent(); next = next(target)) {
      wakeups += time.moveTo(next.get());
      settle();
    }
    wakeups += time.moveTo(target);
    settle();
    return new Walked(time.now(), timers.nextDue(), wakeups);
  }

  private Optional<Instant> next(Instant target) {
    return timers.nextDue().filter(due -> !due.isAfter(target));
  }

  /** Waits until every text is replied to and every message sent, for at most a minute. */
  private void settle() {
    settle(PATIENCE);
  }

  /** Waits until every text is replied to and every message sent, for at most this time. */
  public void settle(Duration patience) {
    var deadline = System.nanoTime() + patience.toNanos();
    while (!line.settled() && System.nanoTime() < deadline) {
      LockSupport.parkNanos(LOOK.toNanos());
    }
  }
}
