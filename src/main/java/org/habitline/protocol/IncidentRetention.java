package org.habitline.protocol;

import java.util.Optional;
import org.habitline.config.Section;

/**
 * How long the words of safety incidents are kept: the key {@code retention} of the section {@code
 * safety} of {@code config/study.yaml}.
 *
 * @param days days after the release of an incident
 */
public record IncidentRetention(int days) {

  /** Long enough for a clinician or an ethics board to look at what happened. */
  private static final int LEAST = 30;

  private static final int MOST = 36_500;

  static Optional<IncidentRetention> read(Section safety) {
    return Optional.ofNullable(safety.optionalInteger("retention", LEAST, MOST))
        .map(IncidentRetention::new);
  }
}
