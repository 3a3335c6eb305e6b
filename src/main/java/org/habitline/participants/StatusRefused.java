package org.habitline.participants;

/**
 * Thrown when a participant's status cannot become the requested one; the message says what it can
 * become.
 */
public final class StatusRefused extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StatusRefused(String participantId, ParticipantStatus to) {
    super(
        "status: participant "
            + participantId
            + " is withdrawn and cannot become "
            + to.word()
            + "; a withdrawn participant can only be made active again.",
        null,
        false,
        false);
  }
}
