package org.habitline.conversation.stored;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import java.util.Locale;
import org.habitline.llm.ModelMessage;

/** Which side of the conversation a message is on, in the words of models (seed 004). */
public enum MessageRole {
  USER,
  ASSISTANT;

  /** Returns a message of this side as a model is shown it. */
  public ModelMessage shown(String content) {
    return switch (this) {
      case USER -> new ModelMessage.UserText(content);
      case ASSISTANT -> new ModelMessage.AssistantText(content, List.of());
    };
  }

  /** Returns the word used in the database and over the API: lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
