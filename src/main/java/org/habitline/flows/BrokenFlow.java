package org.habitline.flows;

/**
 * A flow or prompt that cannot be used. The message is one sentence: file, key path, what is wrong
 * and what was expected, and the line where it is known, such as {@code config/flows/habit.yaml:
 * modules.INTAKE.tools[2]: unknown tool 'x'; expected one of … (line 14)}.
 */
public final class BrokenFlow extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Says what is wrong with a file as a whole. */
  BrokenFlow(String file, String expected) {
    super(file + ": " + expected);
  }

  /** Says what is wrong at a key; an empty key means the file as a whole. */
  BrokenFlow(String file, String key, int line, String expected) {
    super(file + ": " + (key.isEmpty() ? "" : key + ": ") + expected + " (line " + line + ")");
  }
}
