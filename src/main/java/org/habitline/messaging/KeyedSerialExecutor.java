package org.habitline.messaging;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a step for a participant whenever it is signalled: on a virtual thread, never two at once
 * for the same participant, any number of participants in parallel. A signal is only a hint and is
 * lost with the process; the work itself must be in the database.
 */
public final class KeyedSerialExecutor {

  private static final Logger log = LoggerFactory.getLogger(KeyedSerialExecutor.class);
  private static final Duration AFTER_A_FAILURE = Duration.ofSeconds(1);

  /** The work to do for one participant. */
  @FunctionalInterface
  public interface Step {
    Next run(String participantId);
  }

  /** What to do after a step. */
  public sealed interface Next {
    record Again() implements Next {}

    record After(Duration pause) implements Next {}

    record Rest() implements Next {}
  }

  private enum Busy {
    RUNNING,
    SIGNALLED_AGAIN
  }

  private final String name;
  private final Step step;
  private final ConcurrentHashMap<String, Busy> busy = new ConcurrentHashMap<>();
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

  /** Whose failed step is to be tried again after a pause. */
  private final Set<String> failed = ConcurrentHashMap.newKeySet();

  private final ScheduledExecutorService timer;
  private volatile boolean open;

  public KeyedSerialExecutor(String name, Step step) {
    this.name = name;
    this.step = step;
    this.timer =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name(name + "-timer").factory());
  }

  /** Starts accepting signals. Signals from before are ignored; poll the database for that work. */
  public void open() {
    open = true;
  }

  /** Runs the step after a delay; if it just failed, when it is tried again. */
  public void signal(String participantId, Duration delay) {
    if (!open || failed.contains(participantId)) {
      return;
    }
    if (delay.isZero() || delay.isNegative()) {
      start(participantId);
    } else {
      later(delay, () -> start(participantId));
    }
  }

  /** Returns whether a step for the participant runs or was signalled to run at once. */
  public boolean isBusy(String participantId) {
    return busy.containsKey(participantId);
  }

  /** Runs the task after every pause, each time on a virtual thread, never twice at once. */
  public void every(Duration pause, Runnable task) {
    later(
        pause,
        () ->
            Thread.ofVirtual()
                .name(name + "-poll")
                .start(() -> {
                  try {
                    task.run();
                  } catch (RuntimeException | Error e) {
                    log.warn(
                        "{} could not check for work and checks again in {}: {}",
                        name,
                        pause,
                        e.getClass().getName());
                  }
                  every(pause, task);
                }));
  }

  private void later(Duration pause, Runnable task) {
    try {
      var _ = timer.schedule(task, pause.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      if (open) {
        throw e;
      }
    }
  }

  private void start(String participantId) {
    if (!open) {
      return;
    }
    var before = busy.merge(participantId, Busy.RUNNING, (was, signalled) -> Busy.SIGNALLED_AGAIN);
    if (before == Busy.RUNNING) {
      var thread =
          Thread.ofVirtual().name(name + "-" + participantId).unstarted(() -> work(participantId));
      synchronized (threads) {
        threads.add(thread);
        thread.start();
      }
    }
  }

  private void work(String participantId) {
    var more = true;
    try {
      // A step that was signalled before the stop runs, even if the stop came before this thread.
      do {
        more = stepOnce(participantId) || rest(participantId);
      } while (more && open);
    } finally {
      if (more) {
        busy.remove(participantId);
      }
      threads.remove(Thread.currentThread());
    }
  }

  /** Runs the step; returns whether it asked to run again at once. */
  private boolean stepOnce(String participantId) {
    try {
      return switch (step.run(participantId)) {
        case Next.Again again -> true;
        case Next.After after -> {
          signal(participantId, after.pause());
          yield false;
        }
        case Next.Rest rest -> false;
      };
    } catch (RuntimeException | Error e) {
      log.warn(
          "{} for {} failed and will be tried again in {}: {}",
          name,
          participantId,
          AFTER_A_FAILURE,
          e.getClass().getName());
      log.debug("The failure", e);
      tryAgain(participantId);
      return false;
    }
  }

  /** Tries a failed step again after a pause, once, however often it was signalled meanwhile. */
  private void tryAgain(String participantId) {
    if (failed.add(participantId)) {
      later(
          AFTER_A_FAILURE,
          () -> {
            failed.remove(participantId);
            start(participantId);
          });
    }
  }

  /** Ends the work unless a signal came in the meantime; returns whether one did. */
  private boolean rest(String participantId) {
    var left =
        busy.computeIfPresent(
            participantId, (id, was) -> was == Busy.SIGNALLED_AGAIN ? Busy.RUNNING : null);
    return left != null;
  }

  /**
   * Accepts no new work and waits for the steps that run or were signalled to run at once, at most
   * as long as the given patience. Steps that are still running then are not interrupted: an
   * interrupt in the middle of a write makes H2 close its file.
   */
  public void stop(Duration patience) {
    open = false;
    timer.shutdownNow();
    var deadline = System.nanoTime() + patience.toNanos();
    try {
      for (var thread : started()) {
        var left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
        var _ = thread.join(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the threads that work now, each of them started. */
  private Set<Thread> started() {
    synchronized (threads) {
      return Set.copyOf(threads);
    }
  }
}
