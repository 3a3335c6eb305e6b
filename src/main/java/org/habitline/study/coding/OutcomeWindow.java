package org.habitline.study.coding;

import java.util.List;
import org.habitline.timers.Occurrence;
import org.jspecify.annotations.Nullable;

/**
 * What is coded of one daily prompt: the participant's texts from the moment at which it was sent
 * until the next one was, at most a day.
 *
 * @param items what happened, oldest first, until the last text
 */
record OutcomeWindow(String participantId, Occurrence.Key key, List<Item> items) {

  OutcomeWindow {
    items = List.copyOf(items);
  }

  /** A message of the line, or a text of the participant by its id. */
  sealed interface Item {
    record Text(String messageId) implements Item {}

    record Message(LineMessage kind) implements Item {}
  }

  List<String> textIds() {
    return items.stream()
        .filter(Item.Text.class::isInstance)
        .map(item -> ((Item.Text) item).messageId())
        .toList();
  }

  @Nullable String lastTextId() {
    var ids = textIds();
    return ids.isEmpty() ? null : ids.getLast();
  }
}
