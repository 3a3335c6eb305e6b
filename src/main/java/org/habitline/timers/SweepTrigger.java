package org.habitline.timers;

import java.time.Instant;

/** Starts sweeps at instants of the system clock. If one is lost, wake-ups are only late. */
public interface SweepTrigger {

  /** Begins to run the sweep at the instants set, and in any case every 30 s. */
  void start(Runnable sweep);

  /** Plans a sweep at the next whole second, once even if several callers ask for it. */
  void ringAt(Instant systemInstant);

  /** Stops; waits for a sweep that is running. */
  void stop();
}
