package org.habitline.conversation.turn;

import java.util.List;
import org.habitline.conversation.stored.Outcome;
import org.habitline.messaging.inbox.InputKind;

/**
 * What a turn came to, in words that are few: nothing of what was said.
 *
 * @param kind what it answered
 * @param outcome how it ended
 * @param iterations model calls of its loop; not those that tools made
 * @param calls what the model asked for, as it wrote it: also tools that there are not
 * @param movedTo the modules that it moved to, in order
 */
public record ClosedTurn(
    InputKind kind, Outcome outcome, int iterations, List<Call> calls, List<String> movedTo) {

  /**
   * One tool call.
   *
   * @param result {@code success}, {@code noop} or {@code error}
   */
  public record Call(String tool, String result) {}
}
