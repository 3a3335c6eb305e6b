package org.habitline.messaging.inbox;

import io.micronaut.data.connection.jdbc.exceptions.CannotGetJdbcConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.habitline.storage.ConnectionLane;
import org.habitline.storage.Database;
import org.habitline.storage.Transactions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out waiting parts in one transaction instead of one each: a commit waits for the disk,
 * and the disk takes as long for many rows as for one. A caller waits until its own part is
 * committed. If a group fails, each part is carried out alone, so that no part fails because of
 * another. If no connection is available, all waiting callers fail at once. A part that waits for a
 * locked row continues on a thread of its own, so that it does not hold up the others. One group
 * runs at a time. Any number of threads may call this, but none inside a transaction of its own.
 */
final class GroupCommit<T, R> {

  private static final Logger log = LoggerFactory.getLogger(GroupCommit.class);

  static final String THREAD = "group-commit";
  private static final int AT_MOST = 64;
  private static final int GIVE_UP_AFTER = 2;

  /** How long a group waits for one row; a webhook has 15 s in all. */
  private static final Duration TOGETHER = Duration.ofSeconds(2);

  /** How long each part waits for a row after its group waited in vain. */
  private static final Duration AFTERWARDS = Duration.ofMillis(200);

  /** How many parts may wait on their own, each with a connection; any more fail at once. */
  private static final int ASIDE_AT_MOST = 4;

  private final Transactions transactions;
  private final Function<List<T>, List<R>> act;
  private final BlockingQueue<Waiting<T, R>> queue = new LinkedBlockingQueue<>();
  private final AtomicBoolean running = new AtomicBoolean();
  private final Semaphore aside = new Semaphore(ASIDE_AT_MOST);

  /**
   * Creates a group commit.
   *
   * @param act carries out parts that wait together, at least one, and returns their outcomes in
   *     the same order
   */
  GroupCommit(Transactions transactions, Function<List<T>, List<R>> act) {
    this.transactions = transactions;
    this.act = act;
  }

  private record Waiting<T, R>(T part, CompletableFuture<R> outcome) {}

  /** Returns the outcome of the part once it is committed, or throws what it threw. */
  R carryOut(T part) {
    var waiting = new Waiting<T, R>(part, new CompletableFuture<>());
    queue.add(waiting);
    startUnlessRunning();
    try {
      return waiting.outcome().join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  private void startUnlessRunning() {
    if (running.compareAndSet(false, true)) {
      // A virtual thread would queue for a processor behind all the threads that wait for it.
      Thread.ofPlatform().daemon().name(THREAD).start(() -> ConnectionLane.URGENT.run(this::drain));
    }
  }

  private void drain() {
    try {
      var group = new ArrayList<Waiting<T, R>>();
      while (queue.drainTo(group, AT_MOST) > 0) {
        carryOut(List.copyOf(group));
        group.clear();
      }
    } finally {
      running.set(false);
    }
    if (!queue.isEmpty()) {
      startUnlessRunning();
    }
  }

  private void carryOut(List<Waiting<T, R>> group) {
    try {
      if (group.size() == 1) {
        oneByOne(group, TOGETHER);
      } else if (!together(group)) {
        oneByOne(group, AFTERWARDS);
      }
    } catch (CannotGetJdbcConnectionException e) {
      // Each wait for a connection is long, and a provider's webhook does not wait for two.
      fail(group, e);
      var behind = new ArrayList<Waiting<T, R>>();
      queue.drainTo(behind);
      fail(behind, e);
    }
  }

  private void oneByOne(List<Waiting<T, R>> group, Duration lockedFor) {
    var failures = 0;
    for (var one : group) {
      try {
        one.outcome().complete(inOneTransaction(List.of(one), lockedFor).getFirst());
        failures = 0;
      } catch (CannotGetJdbcConnectionException e) {
        throw e;
      } catch (RuntimeException | Error e) {
        if (Database.isLocked(e)) {
          stepAside(one, e);
          continue;
        }
        failures++;
        one.outcome().completeExceptionally(e);
        if (failures == GIVE_UP_AFTER) {
          // The database is down, not the parts at fault: all callers should know at once.
          fail(group, e);
          return;
        }
      }
    }
  }

  /** Carries out the part on its own thread, waiting for the row as long as any statement may. */
  private void stepAside(Waiting<T, R> one, Throwable why) {
    if (!aside.tryAcquire()) {
      one.outcome().completeExceptionally(why);
      return;
    }
    Thread.ofVirtual()
        .name(THREAD + "-aside")
        .start(() ->
            ConnectionLane.URGENT.run(() -> {
              try {
                one.outcome()
                    .complete(transactions.write(() -> act.apply(List.of(one.part()))).getFirst());
              } catch (RuntimeException | Error e) {
                one.outcome().completeExceptionally(e);
              } finally {
                aside.release();
              }
            }));
  }

  /** Fails the parts that have no outcome yet. */
  private static <T, R> void fail(List<Waiting<T, R>> group, Throwable why) {
    group.forEach(one -> one.outcome().completeExceptionally(why));
  }

  private boolean together(List<Waiting<T, R>> group) {
    try {
      var outcomes = inOneTransaction(group, TOGETHER);
      for (int i = 0; i < group.size(); i++) {
        group.get(i).outcome().complete(outcomes.get(i));
      }
      return true;
    } catch (CannotGetJdbcConnectionException e) {
      throw e;
    } catch (RuntimeException | Error e) {
      log.warn(
          "A batch of {} writes failed; each write is now tried on its own: {}",
          group.size(),
          e.getClass().getName());
      return false;
    }
  }

  private List<R> inOneTransaction(List<Waiting<T, R>> group, Duration lockedFor) {
    var parts = group.stream().map(Waiting::part).toList();
    return transactions.writeWith(connection -> {
      Database.waitForLocks(connection, lockedFor);
      return act.apply(parts);
    });
  }
}
