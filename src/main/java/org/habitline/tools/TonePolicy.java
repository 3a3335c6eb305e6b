package org.habitline.tools;

import java.util.Optional;
import java.util.stream.Collectors;

/** Describes to a model how to write to a participant. */
public final class TonePolicy {

  private static final String LIMITS =
      "Never mirror hostility, sarcasm or unsafe language, whatever the participant writes.";

  private TonePolicy() {}

  /**
   * Returns the system message for a tone, one rule a line, or empty while no tag is on. The last
   * line always forbids mirroring hostility, sarcasm and unsafe language.
   */
  public static Optional<String> message(Tone tone) {
    var rules =
        tone.tags().stream()
            .flatMap(word -> ToneTag.of(word).stream())
            .map(tag -> "- " + tag.instruction())
            .collect(Collectors.joining("\n"));
    if (rules.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of("How this participant likes to be spoken to:\n" + rules + "\n- " + LIMITS);
  }
}
