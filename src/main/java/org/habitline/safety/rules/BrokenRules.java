package org.habitline.safety.rules;

import java.util.List;

/**
 * Thrown when rules or gates cannot be used. The message has one sentence for each mistake, each on
 * its own line, with file, key, what was expected, and the line if it is known, such as {@code
 * config/safety/en/abuse.yaml: rules.hits.level: expected one of concern, crisis, found 'high'
 * (line 4)}.
 */
public final class BrokenRules extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<String> mistakes;

  public BrokenRules(List<String> mistakes) {
    super(String.join("\n", mistakes));
    this.mistakes = List.copyOf(mistakes);
  }

  /** Returns the mistakes, one sentence each. */
  public List<String> mistakes() {
    return mistakes;
  }
}
