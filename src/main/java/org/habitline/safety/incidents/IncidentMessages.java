package org.habitline.safety.incidents;

import org.habitline.messaging.OutboundKind;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;

/**
 * Writes the fixed texts of incidents to the transcript and plans them. Implemented by the package
 * that keeps the transcript.
 */
public interface IncidentMessages {

  /**
   * Writes and plans a message in the running transaction, which has locked the participant, and
   * returns its id. No model sees it.
   */
  String send(
      Participant to, String text, OutboundKind kind, ChannelKind channel, String incidentId);
}
