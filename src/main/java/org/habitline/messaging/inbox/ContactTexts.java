package org.habitline.messaging.inbox;

import org.habitline.participants.Participant;

/**
 * What the texts of contacts mean: of numbers that a script texted and nobody enrolled. Implemented
 * by whoever knows what they were asked. Both methods join the running transaction, which holds the
 * contact.
 */
public interface ContactTexts {

  /** Whether the text answers what the contact was asked: then a turn of theirs takes it. */
  boolean answers(Participant contact, String body);

  /** The text answers nothing and stays with those that nobody claimed. */
  void unclaimed(Participant contact, String body);
}
