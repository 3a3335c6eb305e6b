package org.habitline.flows;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One module of a flow, with its own prompt file, tools and limits.
 *
 * @param id the module's name, such as {@code INTAKE}
 * @param prompt name of its prompt file under {@code prompts/}
 * @param tools names of the tools its model may call, in the order offered
 * @param loadLimit newest transcript messages loaded, 0 to 50
 * @param historyLimit the newest of those that are shown to the model, 0 to {@code loadLimit}; a
 *     lower {@code CHAT_HISTORY_LIMIT} applies instead
 * @param maxIterations the most model calls in one turn, 1 to 50
 * @param parallelToolCalls whether one reply may hold several calls, or {@code null} to leave that
 *     to the server
 */
public record FlowModule(
    String id,
    String prompt,
    List<String> tools,
    int loadLimit,
    int historyLimit,
    int maxIterations,
    @Nullable Boolean parallelToolCalls,
    ModelSettings model) {}
