package org.habitline.participants;

/**
 * What other rooms keep about a participant follows the participant: each room that stores
 * something implements this. Every method is called inside the transaction that changes the
 * participant, so it must only write to the database; an exception undoes the whole change.
 */
public interface ParticipantListener {

  /**
   * The participant's row was just written.
   *
   * @param byText whether they texted first and need no greeting
   */
  default void enrolled(Participant participant, boolean byText) {}

  /**
   * A number that nobody enrolled is texted for the first time; {@link #enrolled} may follow one
   * day, for the same id.
   */
  default void met(Participant contact) {}

  /** Some of the participant's own data changed. */
  default void updated(Participant before, Participant after) {}

  /** The participant's number said STOP, in whatever form. */
  default void optedOut(Participant participant) {}

  /** The participant's number came back. */
  default void optedIn(Participant participant) {}

  /**
   * The participant asked to go: nothing that is running or planned for them may still happen.
   * Their data stays until {@link #erased}.
   */
  default void leaving(Participant participant) {}

  /**
   * Everything about the participant goes; with {@code keepTranscript} the transcript stays under
   * the id alone.
   */
  default void erased(String participantId, boolean keepTranscript) {}

  /**
   * A contact's number is a participant's from now on, and the contact goes. What was said from the
   * number is the participant's; all else of the contact is erased.
   */
  default void absorbed(String contactId, String participantId) {
    erased(contactId, false);
  }
}
