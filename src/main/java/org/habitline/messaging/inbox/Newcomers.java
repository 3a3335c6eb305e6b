package org.habitline.messaging.inbox;

import java.util.Optional;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.PhoneNumber;

/**
 * Decides what to do about a number that is not enrolled. Implemented by the package that enrols.
 */
public interface Newcomers {

  /**
   * Enrols the person who texts from this number, without a greeting, or returns empty if strangers
   * are not enrolled. Joins the running transaction.
   */
  Optional<Participant> welcome(PhoneNumber from, ChannelKind channel);
}
