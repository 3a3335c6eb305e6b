package org.habitline.audit;

import java.util.Map;

/**
 * Told of events once they are committed, in the process that wrote them and on the thread that did
 * so: implementations are quick and never throw. What is written and then undone is never told.
 */
public interface EventWatcher {

  /**
   * The same event was written so many times, for one participant each.
   *
   * @param payload ids and words, never a text
   */
  void committed(String type, Map<String, ?> payload, int times);
}
