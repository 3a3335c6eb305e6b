package org.habitline.conversation.stored;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** Which side of the conversation a message is on, in the words of models (seed 004). */
public enum MessageRole {
  USER,
  ASSISTANT;

  /** Returns the word used in the database and over the API: lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
