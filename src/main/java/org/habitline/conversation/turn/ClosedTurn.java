package org.habitline.conversation.turn;

import java.util.List;
import org.habitline.conversation.model.Ruling;
import org.habitline.conversation.stored.Outcome;
import org.habitline.messaging.inbox.InputKind;

/**
 * The result of a committed turn in a few words, without anything that was written.
 *
 * @param kind the kind of its input
 * @param outcome how it ended
 * @param iterations model calls of its loop, without those made by tools
 * @param calls the tool calls as the model wrote them, including tools that do not exist
 * @param movedTo the modules that the participant moved to, in order
 * @param rulings what the gates decided about each text that they checked
 */
public record ClosedTurn(
    InputKind kind,
    Outcome outcome,
    int iterations,
    List<Call> calls,
    List<String> movedTo,
    List<Ruling> rulings) {

  /** Creates the result of a turn without a text that a gate checked. */
  public ClosedTurn(
      InputKind kind, Outcome outcome, int iterations, List<Call> calls, List<String> movedTo) {
    this(kind, outcome, iterations, calls, movedTo, List.of());
  }

  /**
   * One tool call.
   *
   * @param result {@code success}, {@code noop}, {@code error} or {@code unknown}
   */
  public record Call(String tool, String result) {}
}
