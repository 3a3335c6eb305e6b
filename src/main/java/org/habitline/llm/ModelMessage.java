package org.habitline.llm;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One message of a conversation with a model, in the roles of the Chat Completions API. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "role")
@JsonSubTypes({
  @JsonSubTypes.Type(value = ModelMessage.SystemText.class, name = "system"),
  @JsonSubTypes.Type(value = ModelMessage.UserText.class, name = "user"),
  @JsonSubTypes.Type(value = ModelMessage.AssistantText.class, name = "assistant"),
  @JsonSubTypes.Type(value = ModelMessage.ToolResult.class, name = "tool")
})
public sealed interface ModelMessage {

  /** Returns the text of the message, or {@code null} for a reply that only called tools. */
  @Nullable String content();

  /**
   * Instructions from Habitline: the prompt file with its {@link Section}s, or a later section. A
   * request's system texts are sent as one message at its beginning.
   */
  record SystemText(String content) implements ModelMessage {}

  /** The participant's text, verbatim. */
  record UserText(String content) implements ModelMessage {}

  /** An earlier reply of the model, with the tool calls it asked for (never {@code null}). */
  record AssistantText(@Nullable String content, List<ToolCall> toolCalls)
      implements ModelMessage {}

  /** The result of one tool call. */
  record ToolResult(String toolCallId, String content) implements ModelMessage {}
}
