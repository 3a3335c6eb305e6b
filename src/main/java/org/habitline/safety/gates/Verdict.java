package org.habitline.safety.gates;

import org.habitline.protocol.ReplyGate;

/** What the gates say about a text. */
public sealed interface Verdict {

  /** No gate objects. */
  record Pass() implements Verdict {}

  /**
   * A gate objects.
   *
   * @param gate the first gate that objects
   * @param note what is wrong and what to do about it, for the model only; it may hold words of the
   *     text
   */
  record Blocked(ReplyGate gate, String note) implements Verdict {}
}
