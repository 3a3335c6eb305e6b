package org.habitline.safety.gates;

import java.util.List;

/**
 * What a model was shown for a text.
 *
 * @param sources texts from which contacts may be repeated: the system message, the flow's own
 *     texts, what the participant wrote
 * @param instructions the prompt files that the model must not recite
 * @param literal texts that the flow itself sends, which every gate lets pass
 * @param said texts that show which language the participant writes, the newest last
 * @param region the country of the participant's phone number in two capital letters, or {@code ZZ}
 *     if it is not known
 * @param language the language that the flow speaks, such as {@code en}
 */
public record Shown(
    List<String> sources,
    List<String> instructions,
    List<String> literal,
    List<String> said,
    String region,
    String language) {

  /** The region of a phone number that belongs to no country. */
  public static final String NO_REGION = "ZZ";

  /** The language of flows that name none. */
  public static final String ENGLISH = "en";

  public Shown {
    sources = List.copyOf(sources);
    instructions = List.copyOf(instructions);
    literal = List.copyOf(literal);
    said = List.copyOf(said);
  }
}
