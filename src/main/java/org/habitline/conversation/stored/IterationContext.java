package org.habitline.conversation.stored;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.media.Schema.RequiredMode;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ToolCall;
import org.jspecify.annotations.Nullable;

/**
 * The iterations of one turn in the shape of seed 004: numbered from 1 without gaps, each with only
 * the messages that were new in it. Immutable; converts to JSON and back unchanged.
 *
 * @param currentIteration the newest number, 0 before the first
 */
public record IterationContext(
    List<Iteration> iterations,
    @JsonProperty("current_iteration") int currentIteration,
    @JsonProperty("created_at") @Schema(requiredMode = RequiredMode.NOT_REQUIRED)
        @Nullable Instant createdAt,
    @JsonProperty("updated_at") @Schema(requiredMode = RequiredMode.NOT_REQUIRED)
        @Nullable Instant updatedAt) {

  public IterationContext {
    iterations = List.copyOf(iterations);
  }

  /**
   * One model call with the tool calls it asked for.
   *
   * @param messages what was new to the model, then its answer, then the results of its tool calls
   * @param toolCalls never null; empty if the model called no tool
   * @param completedAt null only while the iteration is in progress
   * @param metadata never null; holds only JSON values
   */
  public record Iteration(
      int number,
      List<Message> messages,
      @JsonProperty("tool_calls") List<ToolCallRecord> toolCalls,
      @JsonProperty("started_at") Instant startedAt,
      @JsonProperty("completed_at") @JsonInclude(JsonInclude.Include.ALWAYS)
          @Nullable Instant completedAt,
      @Schema(ref = "#/components/schemas/JsonObject") Map<String, Object> metadata) {

    public Iteration {
      messages = List.copyOf(messages);
      toolCalls = List.copyOf(toolCalls);
    }
  }

  /** Who speaks in a message, in the words of the Chat Completions API. */
  public enum Role {
    SYSTEM,
    USER,
    ASSISTANT,
    TOOL;

    @JsonValue
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A message that the model was sent or wrote.
   *
   * @param content null only if the model called tools without a text
   * @param toolCalls the tool calls that an assistant message asks for, otherwise empty
   * @param toolCallId in a tool message, the call whose result it is
   */
  public record Message(
      Role role,
      @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable String content,
      @JsonProperty("tool_calls")
          @JsonInclude(JsonInclude.Include.NON_EMPTY)
          @Schema(requiredMode = RequiredMode.NOT_REQUIRED)
          List<AskedCall> toolCalls,
      @JsonProperty("tool_call_id") @Schema(requiredMode = RequiredMode.NOT_REQUIRED)
          @Nullable String toolCallId) {

    public Message {
      // Reading JSON gives null where an empty list was left out.
      toolCalls = toolCalls == null ? List.of() : List.copyOf(toolCalls);
    }

    static Message of(ModelMessage message) {
      return switch (message) {
        case ModelMessage.SystemText text -> new Message(Role.SYSTEM, text.content());
        case ModelMessage.UserText text -> new Message(Role.USER, text.content());
        case ModelMessage.AssistantText said ->
            new Message(
                Role.ASSISTANT,
                said.content(),
                said.toolCalls().stream().map(AskedCall::of).toList(),
                null);
        case ModelMessage.ToolResult result ->
            new Message(Role.TOOL, result.content(), List.of(), result.toolCallId());
      };
    }

    private Message(Role role, @Nullable String content) {
      this(role, content, List.of(), null);
    }

    private ModelMessage sent() {
      var text = content == null ? "" : content;
      return switch (role) {
        case SYSTEM -> new ModelMessage.SystemText(text);
        case USER -> new ModelMessage.UserText(text);
        case ASSISTANT ->
            new ModelMessage.AssistantText(
                content, toolCalls.stream().map(AskedCall::sent).toList());
        case TOOL -> new ModelMessage.ToolResult(toolCallId == null ? "" : toolCallId, text);
      };
    }
  }

  /** A tool call as the model asked for it; see {@link ToolCallRecord} for the arguments. */
  public record AskedCall(
      String id, String name, @Schema(ref = "#/components/schemas/JsonValue") JsonNode arguments) {

    private static AskedCall of(ToolCall call) {
      return new AskedCall(call.id(), call.name(), TurnJson.treeOrText(call.arguments()));
    }

    private ToolCall sent() {
      return new ToolCall(
          id, name, arguments.isTextual() ? arguments.textValue() : arguments.toString());
    }
  }

  /**
   * A tool call with its result.
   *
   * @param arguments a JSON object, or the model's own text if that is not JSON
   * @param result null only while the iteration is in progress
   */
  public record ToolCallRecord(
      String id,
      String name,
      @Schema(ref = "#/components/schemas/JsonValue") JsonNode arguments,
      @JsonInclude(JsonInclude.Include.ALWAYS) @Schema(ref = "#/components/schemas/JsonValue")
          @Nullable JsonNode result) {

    public ToolCallRecord {
      // Reading JSON gives a node for null.
      result = result == null || result.isNull() ? null : result;
    }

    static ToolCallRecord of(CallRecord call) {
      return new ToolCallRecord(
          call.id(),
          call.name(),
          TurnJson.treeOrText(call.arguments()),
          call.result() == null ? null : TurnJson.treeOrText(call.result()));
    }
  }

  static IterationContext of(List<Iteration> iterations) {
    if (iterations.isEmpty()) {
      return new IterationContext(List.of(), 0, null, null);
    }
    var last = iterations.getLast();
    return new IterationContext(
        iterations,
        last.number(),
        iterations.getFirst().startedAt(),
        last.completedAt() == null ? last.startedAt() : last.completedAt());
  }

  /** Returns one iteration, or empty if the turn has none with that number. */
  public Optional<Iteration> iteration(int number) {
    return iterations.stream().filter(one -> one.number() == number).findFirst();
  }

  /** Returns the messages that were new in one iteration, or none for an unknown number. */
  public List<Message> messages(int number) {
    return iteration(number).map(Iteration::messages).orElse(List.of());
  }

  /**
   * Returns the messages of all iterations, in order. The model's last answer is the last assistant
   * message; the flow's fallback message, which no model wrote, is not among them.
   */
  public List<Message> allMessages() {
    return iterations.stream().flatMap(one -> one.messages().stream()).toList();
  }

  /**
   * Returns the messages of all iterations as a model is sent them, tool arguments as compact JSON.
   */
  public List<ModelMessage> toMessages() {
    return allMessages().stream().map(Message::sent).toList();
  }

  /** Returns the tool calls that the newest message asks for, or none: they have no result yet. */
  public List<AskedCall> extractToolCalls() {
    var messages = messages(currentIteration);
    return messages.isEmpty() ? List.of() : messages.getLast().toolCalls();
  }

  /**
   * Returns whether the turn has made at least this many model calls. Seed 004 ends a turn there
   * with an error; Habitline's last allowed call is made without tools, so that the model must
   * reply.
   */
  public boolean exceeded(int maxIterations) {
    return currentIteration >= maxIterations;
  }
}
