package org.habitline.safety.opinions;

import java.util.concurrent.CompletableFuture;
import org.habitline.safety.rules.Level;

/**
 * A second opinion that is asked for, or is there. After the time limit it is the opinion that none
 * came in time, and stays that.
 */
public final class PendingOpinion {

  private final CompletableFuture<Opinion> opinion;

  PendingOpinion(CompletableFuture<Opinion> opinion) {
    this.opinion = opinion;
  }

  /** Waits for the opinion, until the time limit at most. */
  public Opinion await() {
    return opinion.join();
  }

  /** Returns whether what the coach says may be heard: it is known that there is no crisis. */
  public boolean letsCoachBeHeard() {
    return opinion.isDone() && opinion.join().level() != Level.CRISIS;
  }
}
