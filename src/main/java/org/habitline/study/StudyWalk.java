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
 * Lets study time pass in a rehearsal, from one wake-up to the next, so that everything happens in
 * its order and at its time: a day that is jumped over would be a day of missed prompts.
 */
@Singleton
public final class StudyWalk {

  /** Who walks waits this long for the turns of one instant, and goes on without them then. */
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
   * How far a walk came.
   *
   * @param now study time
   * @param nextWakeup when the next wake-up is due, if one waits
   * @param wakeups how many rang on the way
   */
  public record Walked(Instant now, Optional<Instant> nextWakeup, int wakeups) {}

  /** Where study time stands. */
  public Walked here() {
    return new Walked(time.now(), timers.nextDue(), 0);
  }

  /** Walks for a while; blocks until everything on the way has happened. */
  public synchronized Walked by(Duration duration) {
    return to(time.now().plus(duration));
  }

  /** Walks to the next wake-up, or stays if there is none. */
  public synchronized Walked toNext() {
    return timers.nextDue().map(this::to).orElseGet(this::here);
  }

  /** Walks to an instant; blocks until everything on the way has happened. */
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

  /** Waits until nothing is left to be answered or sent. */
  public void settle() {
    var deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!line.settled() && System.nanoTime() < deadline) {
      LockSupport.parkNanos(LOOK.toNanos());
    }
  }
}
