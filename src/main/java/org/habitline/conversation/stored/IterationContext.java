package org.habitline.conversation.stored;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.media.Schema.RequiredMode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.habitline.llm.ModelMessage;
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

  /**
   * One model call with the tool calls it asked for.
   *
   * @param toolCalls never null; empty if the model called no tool
   * @param completedAt null only while the iteration is in progress
   * @param metadata never null
   */
  public record Iteration(
      int number,
      List<ModelMessage> messages,
      @JsonProperty("tool_calls") List<ToolCallRecord> toolCalls,
      @JsonProperty("started_at") Instant startedAt,
      @JsonProperty("completed_at") @JsonInclude(JsonInclude.Include.ALWAYS)
          @Nullable Instant completedAt,
      @Schema(ref = "#/components/schemas/JsonObject") Map<String, Object> metadata) {}

  /** One tool call; the result is null only while the iteration is in progress. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record ToolCallRecord(
      String id,
      String name,
      String arguments,
      @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable String result) {}

  static IterationContext of(List<Iteration> iterations) {
    if (iterations.isEmpty()) {
      return new IterationContext(List.of(), 0, null, null);
    }
    var last = iterations.getLast();
    return new IterationContext(
        List.copyOf(iterations),
        last.number(),
        iterations.getFirst().startedAt(),
        last.completedAt() == null ? last.startedAt() : last.completedAt());
  }

  /** Returns one iteration, or empty if the turn has none with that number. */
  public Optional<Iteration> iteration(int number) {
    return iterations.stream().filter(one -> one.number() == number).findFirst();
  }

  /** Returns the messages that were new in one iteration, or none for an unknown number. */
  public List<ModelMessage> messages(int number) {
    return iteration(number).map(Iteration::messages).orElse(List.of());
  }
}
