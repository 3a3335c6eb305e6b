package org.habitline.conversation;

import java.util.List;

/**
 * What a turn came to, in words that are few: nothing of what was said.
 *
 * @param kind {@code said}, {@code woke}, {@code asked} or {@code enrolled}
 * @param outcome how it ended
 * @param iterations model calls of its loop; not those that tools made
 * @param calls what the model asked for, as it wrote it: also tools that there are not
 * @param movedTo the modules that it moved to, in order
 */
public record ClosedTurn(
    String kind, String outcome, int iterations, List<Call> calls, List<String> movedTo) {

  /** The outcome of a turn for which the model gave no usable answer in time. */
  public static final String MODEL_FAILED = Outcome.MODEL_FAILED.word();

  /**
   * One tool call.
   *
   * @param result {@code success}, {@code noop} or {@code error}
   */
  public record Call(String tool, String result) {}
}
