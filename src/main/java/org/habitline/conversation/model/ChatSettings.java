package org.habitline.conversation.model;

import io.micronaut.context.annotation.ConfigurationProperties;
import org.habitline.flows.FlowModule;
import org.jspecify.annotations.Nullable;

/**
 * How much of the transcript a model may see.
 *
 * @param historyLimit {@code CHAT_HISTORY_LIMIT}: unset leaves it to the module, 0 shows nothing,
 *     -1 all that is loaded, n at most n; a number never raises a module's own smaller limit
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
