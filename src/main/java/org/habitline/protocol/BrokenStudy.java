package org.habitline.protocol;

import java.util.List;

/**
 * Thrown when {@code config/study.yaml} cannot be used. The message has one sentence for each
 * mistake, each on its own line, with the key, what was expected, and the line if it is known.
 */
public final class BrokenStudy extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<String> mistakes;

  public BrokenStudy(List<String> mistakes) {
    super(String.join("\n", mistakes));
    this.mistakes = List.copyOf(mistakes);
  }

  /** Returns the mistakes, one sentence each. */
  public List<String> mistakes() {
    return mistakes;
  }
}
