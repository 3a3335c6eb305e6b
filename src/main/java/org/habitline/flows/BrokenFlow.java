package org.habitline.flows;

/**
 * Thrown when a flow or prompt file cannot be used. The message is one sentence with file, key
 * path, what is wrong, what was expected, and the line if it is known, such as {@code
 * config/flows/habit.yaml: modules.INTAKE.tools[2]: unknown tool 'x'; expected one of … (line 14)}.
 */
public final class BrokenFlow extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception about a file as a whole. */
  BrokenFlow(String file, String expected) {
    super(file + ": " + expected);
  }

  /** Creates an exception about a key; an empty key means the file as a whole. */
  BrokenFlow(String file, String key, int line, String expected) {
    super(file + ": " + (key.isEmpty() ? "" : key + ": ") + expected + " (line " + line + ")");
  }
}
