package org.habitline.conversation.model;

import io.micronaut.context.annotation.ConfigurationProperties;
import org.habitline.flows.FlowModule;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many messages of the transcript a model sees.
 *
 * @param historyLimit {@code CHAT_HISTORY_LIMIT}: unset and -1 use the module's limit, 0 shows
 *     nothing, n at most n; it never raises a module's own limit
 */
@ConfigurationProperties("chat")
record ChatSettings(@Nullable Integer historyLimit) {

  int limitFor(FlowModule module) {
    return historyLimit == null || historyLimit < 0
        ? module.historyLimit()
        : Math.min(historyLimit, module.historyLimit());
  }
}
