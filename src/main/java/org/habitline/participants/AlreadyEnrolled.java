package org.habitline.participants;

/** Thrown when the number belongs to a participant, or to one whose data is being erased. */
public final class AlreadyEnrolled extends RuntimeException {
  private static final long serialVersionUID = 1L;

  AlreadyEnrolled(String sentence) {
    super(sentence);
  }
}
