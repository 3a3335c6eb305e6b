package org.habitline.participants;

/** The number belongs to someone who takes part already, or whose data is just being erased. */
public final class AlreadyEnrolled extends RuntimeException {
  private static final long serialVersionUID = 1L;

  AlreadyEnrolled(String sentence) {
    super(sentence);
  }
}
