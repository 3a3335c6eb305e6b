package org.habitline.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The mistakes found in one file, in the order found, at most one for each key. */
public final class Mistakes {

  private final String file;
  private final Map<String, String> byKey = new LinkedHashMap<>();

  /** Creates an empty list of mistakes for a file, named as messages should name it. */
  public Mistakes(String file) {
    this.file = file;
  }

  /** Adds a mistake about the file as a whole. */
  public void add(String expected) {
    byKey.putIfAbsent("", file + ": " + expected);
  }

  /**
   * Adds a mistake; a second one about the same key only follows from the first and is left out.
   */
  public void add(String key, int line, String expected) {
    byKey.putIfAbsent(
        key, file + ": " + (key.isEmpty() ? "" : key + ": ") + expected + " (line " + line + ")");
  }

  /** Returns the mistakes so far, one sentence each. */
  public List<String> all() {
    return List.copyOf(byKey.values());
  }
}
