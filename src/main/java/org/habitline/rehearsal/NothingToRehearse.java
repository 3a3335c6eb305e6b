package org.habitline.rehearsal;

/** The flow cannot be rehearsed; the message is one sentence for whoever asked. */
final class NothingToRehearse extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NothingToRehearse(String sentence) {
    super(sentence, null, false, false);
  }
}
