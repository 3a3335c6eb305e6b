package org.habitline.conversation.calls;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.habitline.conversation.stored.JdbcTurns;
import org.habitline.conversation.stored.Situation;
import org.habitline.messaging.Leases;
import org.habitline.participants.Participants;
import org.habitline.storage.Transactions;

/**
 * Runs changes of a participant that must not meet a turn: staff change a schedule or the profile,
 * a program calls a tool. A change takes the participant's lease, so that no turn begins, and is
 * one transaction; a turn that begins afterwards reads what it left. While a change waits for a
 * turn, it holds no lock and no connection.
 */
@Singleton
public final class BetweenTurns {

  /** How long a change waits for a turn to end. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final Duration PAUSE = Duration.ofMillis(50);

  private final Participants participants;
  private final JdbcTurns turns;
  private final Leases leases;
  private final Transactions transactions;

  BetweenTurns(
      Participants participants, JdbcTurns turns, Leases leases, Transactions transactions) {
    this.participants = participants;
    this.turns = turns;
    this.leases = leases;
    this.transactions = transactions;
  }

  /** What became of a change. */
  public sealed interface Ran<R> {

    /** It was made, and is committed. */
    record Done<R>(R result) implements Ran<R> {}

    /** A turn did not end in time; nothing was changed. */
    record Busy<R>() implements Ran<R> {}

    /** The participant is being erased, or was; nothing was changed. */
    record Gone<R>() implements Ran<R> {}
  }

  /**
   * Makes a change. Waits at most 5 seconds for a turn that is running or waits to be resumed.
   *
   * @param change gets the state of the conversation; what it throws rolls everything back
   */
  public <R> Ran<R> run(String participantId, Function<Situation, R> change) {
    var end = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      if (!isAnswering(participantId)) {
        var ran = transactions.write(() -> locked(participantId, change));
        if (!(ran instanceof Ran.Busy)) {
          return ran;
        }
      }
      if (System.nanoTime() >= end || Thread.currentThread().isInterrupted()) {
        return new Ran.Busy<>();
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  /** Looks without a lock, so that those who wait do not hold up the turn. */
  private boolean isAnswering(String participantId) {
    return transactions.read(() ->
        Situation.of(participantId, turns.situation(participantId, 0, 1))
            .filter(this::isAnswering)
            .isPresent());
  }

  /** An unfinished turn counts: when it is resumed, its tools must see what they saw before. */
  private boolean isAnswering(Situation situation) {
    return situation.row().running() != null || !leases.free(situation.lease());
  }

  private <R> Ran<R> locked(String participantId, Function<Situation, R> change) {
    participants.hold(participantId);
    var situation = Situation.of(participantId, turns.situation(participantId, 0, 1));
    if (situation.isEmpty() || participants.find(participantId).isEmpty()) {
      return new Ran.Gone<>();
    }
    if (isAnswering(situation.get())) {
      return new Ran.Busy<>();
    }
    var lease = leases.take(situation.get().lease());
    if (lease.isEmpty()) {
      return new Ran.Busy<>();
    }
    var result = change.apply(situation.get());
    leases.release(lease.get());
    return new Ran.Done<>(result);
  }
}
