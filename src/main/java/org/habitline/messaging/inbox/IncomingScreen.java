package org.habitline.messaging.inbox;

import java.util.Optional;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.jspecify.annotations.Nullable;

/**
 * Looks at every text before anything else does, whoever sent it: participants of any status,
 * people who opted out, numbers that no participant has. Implemented by the package that looks
 * after people at risk.
 */
public interface IncomingScreen {

  /**
   * Returns what the text needs besides being stored, or empty if it is ordinary. Never throws,
   * never waits, and is called outside any transaction, by any number of threads at once.
   */
  Optional<Alarm> look(String words);

  /**
   * Returns the incident of a text that staff match to a participant, if no model may see the text:
   * it was screened when it came. An incident of nobody becomes the participant's. Joins the
   * running transaction, which has locked the participant.
   */
  Optional<String> claimed(String providerId, Participant by);

  /** What a text needs besides being stored. */
  interface Alarm {

    /**
     * Called once for the text, in the transaction that stores it, which has locked the
     * participant.
     *
     * @return the incident that the text belongs to if no model may see it, or {@code null} if the
     *     coach replies to it as usual
     */
    @Nullable String raise(Arrived text);

    /**
     * Returns this alarm with nothing but its record for staff. It is raised in a transaction of
     * its own after {@link #raise} failed, so that a fault elsewhere keeps neither the text nor
     * staff's knowledge of it.
     */
    Alarm recordOnly();
  }

  /**
   * A text that has just been stored.
   *
   * @param sender the participant or contact as they are now, or {@code null} if the sender has no
   *     number that could be texted
   * @param from what the provider calls the sender
   */
  record Arrived(
      String providerId, @Nullable Participant sender, String from, ChannelKind channel) {}
}
