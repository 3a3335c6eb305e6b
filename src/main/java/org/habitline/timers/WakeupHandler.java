package org.habitline.timers;

import java.util.List;

/** Whoever is woken. Declared here, implemented by the conversation. */
public interface WakeupHandler {

  /**
   * These are due. Called inside the transaction that marks them as rung, so it must only write to
   * the database: either all of them become work or none.
   */
  void woke(List<Wakeup> due);
}
