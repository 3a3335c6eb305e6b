package org.habitline.messaging.inbox;

import java.util.Optional;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.PhoneNumber;
import org.jspecify.annotations.Nullable;

/**
 * Decides what to do about a number that is not enrolled. Implemented by the package that enrols.
 */
public interface Newcomers {

  /**
   * Enrols the person who texts from this number, without a greeting, or returns empty if strangers
   * are not enrolled. Joins the running transaction.
   */
  Optional<Participant> welcome(PhoneNumber from, ChannelKind channel);

  /**
   * Returns the contact with this number, and makes one if there is none, so that a fixed text can
   * be sent to someone who is not enrolled. Returns {@code null} if the participant with this
   * number is being erased. Joins the running transaction.
   */
  @Nullable Participant contact(PhoneNumber from, ChannelKind channel);
}
