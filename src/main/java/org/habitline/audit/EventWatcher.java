package org.habitline.audit;

import java.util.Map;

/**
 * Called with events once they are committed, in the process that wrote them and on the same
 * thread, so implementations must be quick and must not throw. Events that are rolled back are
 * never passed on.
 */
public interface EventWatcher {

  /**
   * Called when the same event was written this many times, for one participant each.
   *
   * @param payload ids and words, never text of a conversation
   */
  void committed(String type, Map<String, ?> payload, int times);
}
