package org.habitline.flows;

import java.util.List;

/**
 * Thrown when a flow or prompt file cannot be used. The message has one sentence for each mistake,
 * each on its own line, with file, key path, what is wrong, what was expected, and the line if it
 * is known, such as {@code config/flows/habit/flow.yaml: modules.INTAKE.tools[2]: unknown tool 'x';
 * expected one of … (line 14)}.
 */
public final class BrokenFlow extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<String> mistakes;

  /** Creates an exception about a file as a whole. */
  BrokenFlow(String file, String expected) {
    this(List.of(file + ": " + expected));
  }

  BrokenFlow(List<String> mistakes) {
    super(String.join("\n", mistakes));
    this.mistakes = List.copyOf(mistakes);
  }

  /** Returns the mistakes, one sentence each. */
  public List<String> mistakes() {
    return mistakes;
  }
}
