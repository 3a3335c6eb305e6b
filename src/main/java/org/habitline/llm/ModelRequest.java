package org.habitline.llm;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One question to a model.
 *
 * @param model the model to ask, or {@code null} for the configured one
 * @param temperature 0 to 2, or {@code null} for the server's default
 * @param maxTokens bound of the answer in tokens, or {@code null} for the server's default
 * @param tools what it may call; empty means no tools are mentioned at all
 * @param mustSpeak whether calls are forbidden ({@code tool_choice=none}) though tools are shown
 * @param parallelToolCalls whether one answer may hold several calls, or {@code null} for the
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
