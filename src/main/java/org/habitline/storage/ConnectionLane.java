package org.habitline.storage;

import java.util.Optional;

/**
 * How soon somebody who works needs a connection to the database. A connection is taken in the lane
 * of the thread; a thread that said nothing answers a request over HTTP or works in the background,
 * which whoever hands out connections can tell.
 */
public enum ConnectionLane {
  /** A provider waits, or a lease runs out: never behind anybody else of this process. */
  URGENT,
  /** Somebody waits for an answer over HTTP. */
  ANSWERING,
  /**
   * What came of work in the background is written down: before any new work, because a model was
   * paid for it or a text went out.
   */
  RECORDING,
  /** Turns, texts that leave, sweeps: they can wait, and must leave room for the others. */
  BACKGROUND;

  private static final ScopedValue<ConnectionLane> CURRENT = ScopedValue.newInstance();

  /** Returns the lane that this thread said it works in, or empty. */
  public static Optional<ConnectionLane> current() {
    return CURRENT.isBound() ? Optional.of(CURRENT.get()) : Optional.empty();
  }

  /** Works in this lane, on this thread. */
  public void run(Runnable act) {
    ScopedValue.where(CURRENT, this).run(act);
  }

  /** Works in this lane, on this thread, and returns what came of it. */
  public <R, X extends Throwable> R call(ScopedValue.CallableOp<? extends R, X> act) throws X {
    return ScopedValue.where(CURRENT, this).call(act);
  }
}
