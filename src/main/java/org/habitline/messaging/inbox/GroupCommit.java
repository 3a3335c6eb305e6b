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
 * Carries out what waits in one transaction for all, instead of one for each: a commit waits for
 * the disk, and the disk takes as long for many rows as for one. Whoever asks waits until their own
 * part is committed. If a group fails, each of its parts is carried out alone, so that nobody fails
 * for somebody else; if there is no connection to be had, everybody who waits is told at once. A
 * part that waits for a row which somebody else holds steps aside and goes on waiting there, so
 * that the others are not held up. One group runs at a time; any number of threads may ask, but
 * none inside a transaction of its own.
 */
final class GroupCommit<T, R> {

  private static final Logger log = LoggerFactory.getLogger(GroupCommit.class);

  static final String THREAD = "group-commit";
  private static final int AT_MOST = 64;
  private static final int GIVE_UP_AFTER = 2;

  /** So long a group waits for one row; who waits for a webhook has 15 s in all. */
  private static final Duration TOGETHER = Duration.ofSeconds(2);

  /** When a group has waited in vain, whoever still finds a row locked steps aside after this. */
  private static final Duration AFTERWARDS = Duration.ofMillis(200);

  /** Each has a connection; whoever finds this many there is told that it did not work. */
  private static final int ASIDE_AT_MOST = 4;

  private final Transactions transactions;
  private final Function<List<T>, List<R>> act;
  private final BlockingQueue<Waiting<T, R>> queue = new LinkedBlockingQueue<>();
  private final AtomicBoolean running = new AtomicBoolean();
  private final Semaphore aside = new Semaphore(ASIDE_AT_MOST);

  /**
   * @param act carries out parts that wait together, at least one, and returns what came of each in
   *     their order
   */
  GroupCommit(Transactions transactions, Function<List<T>, List<R>> act) {
    this.transactions = transactions;
    this.act = act;
  }

  private record Waiting<T, R>(T part, CompletableFuture<R> outcome) {}

  /** Returns what came of the part once it is committed, or throws what it threw. */
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
      // Not a virtual one: it would queue for a processor behind all those that wait for it.
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
      // Each wait for a connection is long, and a provider that calls does not wait for two.
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
          // It is not the parts: the database is away, and everybody else should know at once.
          fail(group, e);
          return;
        }
      }
    }
  }

  /** Waits for its row as long as any statement may, on a thread of its own. */
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

  /** Those who know their outcome keep it. */
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
          "A group of {} failed together; each part is carried out alone: {}",
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
