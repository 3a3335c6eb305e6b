package org.habitline.messaging.inbox;

import java.util.Optional;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.PhoneNumber;

/** What to do about a number that nobody enrolled. Implemented by whoever knows how to enrol. */
public interface Newcomers {

  /**
   * Enrols whoever texts from this number, without a greeting, or returns empty if strangers are
   * not enrolled. Joins the running transaction.
   */
  Optional<Participant> welcome(PhoneNumber from, ChannelKind channel);
}
