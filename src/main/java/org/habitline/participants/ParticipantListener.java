package org.habitline.participants;

import java.time.Instant;

/**
 * Keeps another package's data about a participant in step with the participant; each package that
 * stores such data implements this. Every method is called inside the transaction that changes the
 * participant, so it must only write to the database; an exception rolls the whole change back.
 */
public interface ParticipantListener {

  /**
   * Called after a participant's row was inserted.
   *
   * @param byText whether they texted first and need no greeting
   */
  default void enrolled(Participant participant, boolean byText) {}

  /**
   * Called when a number that is not enrolled is messaged for the first time; {@link #enrolled} may
   * follow later, with the same id.
   */
  default void met(Participant contact) {}

  /** Called after some of the participant's own data changed. */
  default void updated(Participant before, Participant after) {}

  /** Called after the participant's number opted out, by STOP or otherwise. */
  default void optedOut(Participant participant) {}

  /** Called after the participant's number opted in again. */
  default void optedIn(Participant participant) {}

  /**
   * Called when an erasure is requested: nothing that is running or planned for the participant may
   * still happen. Their data stays until {@link #erased}, which follows after every listener was
   * told: at once for those who get no last message, else when that message was sent.
   */
  default void leaving(Participant participant) {}

  /**
   * Called before {@link #erased} for a participant who was erased before and came back with a
   * restored backup.
   *
   * @param at when they were erased before, in system time
   */
  default void leftBefore(Participant participant, Instant at) {}

  /**
   * Deletes everything about the participant; with {@code keepTranscript} the transcript stays,
   * under the id alone.
   */
  default void erased(String participantId, boolean keepTranscript) {}

  /**
   * Called when a contact's number becomes a participant's and the contact is deleted. Texts that
   * came from the number become the participant's; everything else of the contact is erased.
   */
  default void absorbed(String contactId, String participantId) {
    erased(contactId, false);
  }
}
