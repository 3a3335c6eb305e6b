package org.habitline.messaging;

import io.micronaut.transaction.TransactionOperations;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * Carries out what waits in one transaction for all, instead of one for each: a commit waits for
 * the disk, and the disk takes as long for many rows as for one. Whoever asks waits until their own
 * part is committed. If a group fails, each of its parts is carried out alone, so that nobody fails
 * for somebody else. One group runs at a time; any number of threads may ask, but none inside a
 * transaction of its own.
 */
final class GroupCommit<T, R> {

  private static final int AT_MOST = 64;
  private static final int GIVE_UP_AFTER = 2;

  private final TransactionOperations<Connection> transactions;
  private final Function<T, R> act;
  private final BlockingQueue<Waiting<T, R>> queue = new LinkedBlockingQueue<>();
  private final AtomicBoolean running = new AtomicBoolean();

  GroupCommit(TransactionOperations<Connection> transactions, Function<T, R> act) {
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
      Thread.startVirtualThread(this::drain);
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
    if (group.size() > 1 && together(group)) {
      return;
    }
    var failures = 0;
    for (var one : group) {
      try {
        one.outcome().complete(transactions.executeWrite(status -> act.apply(one.part())));
        failures = 0;
      } catch (RuntimeException | Error e) {
        failures++;
        one.outcome().completeExceptionally(e);
        if (failures == GIVE_UP_AFTER) {
          // It is not the parts: the database is away, and everybody else should know at once.
          group.forEach(rest -> rest.outcome().completeExceptionally(e));
          return;
        }
      }
    }
  }

  private boolean together(List<Waiting<T, R>> group) {
    try {
      var outcomes =
          transactions.executeWrite(
              status -> group.stream().map(one -> act.apply(one.part())).toList());
      for (int i = 0; i < group.size(); i++) {
        group.get(i).outcome().complete(outcomes.get(i));
      }
      return true;
    } catch (RuntimeException | Error e) {
      return false;
    }
  }
}
