package org.habitline.messaging.inbox;

import org.habitline.participants.Participant;

/** Called when a text opts its sender out. */
public interface OptOutListener {

  /** The participant, as they are now, opted out. Joins the running transaction. */
  void optedOut(Participant participant);
}
