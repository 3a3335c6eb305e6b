package org.habitline.study.coding;

/** One thing that a coder sees of what happened after a daily prompt. */
public sealed interface Seen {

  /** What the participant wrote, verbatim. */
  record Text(String text) implements Seen {

    /** Returns its length only, so that no log repeats what somebody wrote. */
    @Override
    public String toString() {
      return text.length() + " characters";
    }
  }

  /** A message of the line, of which only the kind is seen. */
  record Message(LineMessage kind) implements Seen {}
}
