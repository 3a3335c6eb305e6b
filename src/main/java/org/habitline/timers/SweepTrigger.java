package org.habitline.timers;

import java.time.Instant;

/** Rings at instants of the system clock. A bell that is lost costs time and nothing else. */
public interface SweepTrigger {

  /** Begins to ring, and every 30 s whatever happens. Each time the sweep is run. */
  void start(Runnable sweep);

  /** Sets a bell at the next whole second, once for however many ask for it. */
  void ringAt(Instant systemInstant);

  /** Rings no more; waits for a sweep that is running. */
  void stop();
}
