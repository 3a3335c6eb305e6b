package org.habitline.flows;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The mistakes found in one file, in the order found, at most one for each key. */
final class Mistakes {

  private final String file;
  private final Map<String, String> byKey = new LinkedHashMap<>();

  Mistakes(String file) {
    this.file = file;
  }

  /**
   * Adds a mistake; a second one about the same key only follows from the first and is left out.
   */
  void add(String key, int line, String expected) {
    byKey.putIfAbsent(
        key, file + ": " + (key.isEmpty() ? "" : key + ": ") + expected + " (line " + line + ")");
  }

  /** Returns one sentence for each mistake. */
  List<String> all() {
    return List.copyOf(byKey.values());
  }

  /**
   * Ends the reading.
   *
   * @throws BrokenFlow with every mistake, if there is any
   */
  void check() {
    if (!byKey.isEmpty()) {
      throw new BrokenFlow(all());
    }
  }
}
