package org.habitline.messaging.inbox;

import org.habitline.participants.Participant;

/**
 * Decides what texts of contacts mean, that is of numbers that received a requested prompt but are
 * not enrolled. Implemented by the package that sends requested prompts. Both methods join the
 * running transaction, which has locked the contact.
 */
public interface ContactTexts {

  /** Returns whether the text replies to a question to the contact; then a turn handles it. */
  boolean answers(Participant contact, String body);

  /** Called when the text replies to nothing and stays with the unclaimed texts. */
  void unclaimed(Participant contact, String body);
}
