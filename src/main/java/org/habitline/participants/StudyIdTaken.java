package org.habitline.participants;

/**
 * Thrown when a study id belongs to another participant, or to one whose data is being erased. The
 * transaction that it leaves is rolled back and must not go on.
 */
public final class StudyIdTaken extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StudyIdTaken(String sentence) {
    super(sentence);
  }
}
