package org.habitline.safety.rules;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What the rules say about one message. It never contains words of the message.
 *
 * @param findings the rules that apply, the most urgent first
 */
public record Verdict(List<Finding> findings) {

  /** A rule that applies, such as {@code en/suicide-wish}. */
  public record Finding(String rule, Level level, RiskKind kind) {}

  /** Sorts the findings, so that equal messages give equal verdicts. */
  public Verdict {
    findings =
        findings.stream()
            .distinct()
            .sorted(
                Comparator.comparing(Finding::level)
                    .reversed()
                    .thenComparing(Finding::kind)
                    .thenComparing(Finding::rule))
            .toList();
  }

  public Level level() {
    return findings.isEmpty() ? Level.NONE : findings.getFirst().level();
  }

  /** Returns the kind of the most urgent finding, or empty if no rule applies. */
  public Optional<RiskKind> kind() {
    return findings.stream().findFirst().map(Finding::kind);
  }
}
