package org.habitline.conversation.model;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import org.habitline.conversation.stored.MessageRole;

/**
 * What was loaded of a participant for one turn (seed 000). Never changes: lists and JSON are
 * copied in and out.
 *
 * @param userId the participant's id
 * @param conversationHistory the module's {@code load_limit} newest messages, oldest first
 * @param agentContext what each module of the flow saved: a JSON object under the module's name in
 *     lower case
 * @param loadedAt study time
 */
public record LoadedContext(
    @JsonProperty("user_id") String userId,
    @JsonProperty("conversation_history") List<Message> conversationHistory,
    @JsonProperty("agent_context") ObjectNode agentContext,
    @JsonProperty("loaded_at") Instant loadedAt) {

  /**
   * Copies what was loaded.
   *
   * @throws IllegalArgumentException if the id is blank, or what a module saved is not an object
   */
  public LoadedContext {
    if (userId.isBlank()) {
      throw new IllegalArgumentException("user_id: expected the id of a participant, found none");
    }
    for (var part : agentContext.properties()) {
      if (!part.getValue().isObject()) {
        throw new IllegalArgumentException(
            "agent_context.%s: expected an object, found %s"
                .formatted(part.getKey(), part.getValue().getNodeType()));
      }
    }
    conversationHistory = List.copyOf(conversationHistory);
    agentContext = agentContext.deepCopy();
  }

  /** A message as the transcript has it. */
  public record Message(MessageRole role, String content) {}

  @Override
  public ObjectNode agentContext() {
    return agentContext.deepCopy();
  }

  /** Returns the newest messages of the history, oldest first. */
  List<Message> newest(int most) {
    var size = conversationHistory.size();
    return conversationHistory.subList(Math.max(0, size - most), size);
  }
}
