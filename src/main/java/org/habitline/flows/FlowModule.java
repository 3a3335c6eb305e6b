package org.habitline.flows;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One conversational role inside a flow.
 *
 * @param id the sub-state that selects it, such as {@code INTAKE}
 * @param prompt name of its prompt file under {@code prompts/}
 * @param tools names of the tools its model may call, in the order offered
 * @param loadLimit newest transcript messages loaded, 0 to 50
 * @param historyLimit newest of those shown to the model, 0 to {@code loadLimit}, unless {@code
 *     CHAT_HISTORY_LIMIT} says less
 * @param maxIterations at most this many model calls in one turn, 1 to 50
 * @param parallelToolCalls whether one answer may ask for several calls, or {@code null} where the
 *     flow leaves that to the server
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
