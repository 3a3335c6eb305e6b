package org.habitline.llm;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One request to a model.
 *
 * @param model the model to ask, or {@code null} for the configured one
 * @param temperature 0 to 2, or {@code null} for the server's default
 * @param maxTokens limit of the reply in tokens, or {@code null} for the server's default
 * @param tools the tools it may call; if empty, the request mentions no tools at all
 * @param mustSpeak whether the model must not call tools ({@code tool_choice=none}) although the
 *     request lists them
 * @param parallelToolCalls whether one reply may hold several calls, or {@code null} for the
 *     server's default
 * @param flow the flow whose module asks, or {@code null} if none does; the rehearsal's script
 *     looks up the flow's phrases by it, and no server is sent it
 */
public record ModelRequest(
    @Nullable String model,
    @Nullable Double temperature,
    @Nullable Integer maxTokens,
    List<ModelMessage> messages,
    List<ToolSpec> tools,
    boolean mustSpeak,
    @Nullable Boolean parallelToolCalls,
    // Not part of the request's hash, by which a resumed turn finds what it asked before.
    @JsonIgnore @Nullable String flow) {

  /** A request that belongs to no flow. */
  public ModelRequest(
      @Nullable String model,
      @Nullable Double temperature,
      @Nullable Integer maxTokens,
      List<ModelMessage> messages,
      List<ToolSpec> tools,
      boolean mustSpeak,
      @Nullable Boolean parallelToolCalls) {
    this(model, temperature, maxTokens, messages, tools, mustSpeak, parallelToolCalls, null);
  }

  /** Returns the request that asks once more, after a text that may not be sent. */
  public ModelRequest again(String text, String note) {
    var more = new ArrayList<>(messages);
    if (!text.isBlank()) {
      more.add(new ModelMessage.AssistantText(text, List.of()));
    }
    more.add(Section.NOTE.holding(note));
    return new ModelRequest(
        model,
        temperature,
        maxTokens,
        List.copyOf(more),
        tools,
        mustSpeak,
        parallelToolCalls,
        flow);
  }
}
