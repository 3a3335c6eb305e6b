package org.habitline.rehearsal;

/** Thrown when the flow cannot be rehearsed. The message is one sentence for the user. */
final class NothingToRehearse extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NothingToRehearse(String sentence) {
    super(sentence, null, false, false);
  }
}
