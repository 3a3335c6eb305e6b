package org.habitline.flows;

/** A flow that cannot be used. The message is one sentence: file, key, and what was expected. */
public final class BrokenFlow extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BrokenFlow(String file, String key, String expected) {
    super(file + ": " + (key.isEmpty() ? "" : key + ": ") + expected);
  }
}
