package org.habitline.timers;

import java.util.List;

/** Receives due wake-ups. Implemented by the conversation. */
public interface WakeupHandler {

  /**
   * Turns due wake-ups into work. Called inside the transaction that marks them as rung, so it must
   * only write to the database: either all of them become work or none.
   */
  void woke(List<Wakeup> due);
}
