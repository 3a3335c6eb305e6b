package org.habitline.messaging.inbox;

import org.habitline.participants.Participant;

/** Called when a text opts its sender out. */
public interface OptOutListener {

  /** Called with the participant as they are now, opted out. Joins the running transaction. */
  void optedOut(Participant participant);
}
