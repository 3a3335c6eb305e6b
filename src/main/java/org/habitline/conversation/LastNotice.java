package org.habitline.conversation;

import jakarta.inject.Singleton;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.OutboundMessage;
import org.habitline.messaging.outbox.DeliveryListener;
import org.habitline.participants.Participants;

/** Erases a participant who is leaving, once the notice about it was accepted or refused. */
@Singleton
final class LastNotice implements DeliveryListener {

  private final Participants participants;

  LastNotice(Participants participants) {
    this.participants = participants;
  }

  @Override
  public void accepted(OutboundMessage message) {
    eraseAfterNotice(message);
  }

  @Override
  public void refused(OutboundMessage message, String reason) {
    eraseAfterNotice(message);
  }

  private void eraseAfterNotice(OutboundMessage message) {
    if (message.kind() == OutboundKind.NOTICE) {
      participants.erase(message.participantId());
    }
  }
}
