package org.habitline.conversation.model;

import io.micronaut.context.annotation.ConfigurationProperties;
import org.habitline.flows.FlowModule;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many messages of the transcript a model sees.
 *
 * @param historyLimit {@code CHAT_HISTORY_LIMIT}: unset uses the module's limit, 0 shows nothing,
 *     -1 everything that is loaded, n at most n; a number never raises a module's own smaller limit
 */
@ConfigurationProperties("chat")
record ChatSettings(@Nullable Integer historyLimit) {

  int limitFor(FlowModule module) {
    if (historyLimit == null) {
      return module.historyLimit();
    }
    return historyLimit < 0 ? module.loadLimit() : Math.min(historyLimit, module.historyLimit());
  }
}
