package org.habitline.storage;

import java.util.Optional;

/**
 * The priority with which a thread gets a database connection. A thread that set none either
 * handles an HTTP request or works in the background; the connection pool can tell which.
 */
public enum ConnectionLane {
  /** A provider is waiting, or a lease runs out: never waits behind other work of this process. */
  URGENT,
  /** A client is waiting for an HTTP response. */
  ANSWERING,
  /**
   * Finishes what was begun: records the results of background work and sends what a turn
   * committed. Comes before new work, because a model call was paid for, a message was sent, or
   * someone is waiting for it.
   */
  FINISHING,
  /** New turns and sweeps: these can wait and must leave connections for the others. */
  BACKGROUND;

  private static final ScopedValue<ConnectionLane> CURRENT = ScopedValue.newInstance();

  /** Returns the lane set for this thread, or empty. */
  public static Optional<ConnectionLane> current() {
    return CURRENT.isBound() ? Optional.of(CURRENT.get()) : Optional.empty();
  }

  /** Runs the action in this lane, on this thread. */
  public void run(Runnable act) {
    ScopedValue.where(CURRENT, this).run(act);
  }

  /** Runs the action in this lane, on this thread, and returns its result. */
  public <R, X extends Throwable> R call(ScopedValue.CallableOp<? extends R, X> act) throws X {
    return ScopedValue.where(CURRENT, this).call(act);
  }
}
