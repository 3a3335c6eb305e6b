package org.habitline.conversation.configuration;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/**
 * A file of a configuration.
 *
 * @param path from the home folder, or after {@code packaged:} if the program brings the file
 * @param bytes its size
 */
public record FileInForce(String path, Kind kind, String sha256, long bytes) {

  /** What a file holds. */
  public enum Kind {
    /** A flow, its texts in other languages, or its phrases. */
    FLOW,
    /** What the study says about itself. */
    STUDY,
    /** Words by language: keywords, consent, safety, gates, outcomes. */
    WORDS,
    /** A prompt file. */
    PROMPT,
    /** A document that the coach searches; its text is not kept. */
    DOCUMENT;

    @JsonValue
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
