package org.habitline.llm;

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
 */
public record ModelRequest(
    @Nullable String model,
    @Nullable Double temperature,
    @Nullable Integer maxTokens,
    List<ModelMessage> messages,
    List<ToolSpec> tools,
    boolean mustSpeak,
    @Nullable Boolean parallelToolCalls) {}
