package org.habitline.safety.alerts;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.OutboundMessage;
import org.habitline.messaging.outbox.DeliveryListener;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;

/** Records what became of alerts by SMS. */
@Singleton
final class AlertDeliveries implements DeliveryListener {

  private final JdbcAlerts rows;
  private final Participants participants;
  private final Clock systemClock;

  AlertDeliveries(JdbcAlerts rows, Participants participants, @Named("system") Clock systemClock) {
    this.rows = rows;
    this.participants = participants;
    this.systemClock = systemClock;
  }

  @Override
  public void accepted(OutboundMessage message) {
    if (message.kind() == OutboundKind.ALERT) {
      rows.ofDelivery(message.id())
          .ifPresent(alert -> rows.sent(alert.id(), systemClock.instant()));
    }
  }

  @Override
  public void refused(OutboundMessage message, String reason) {
    undelivered(message, reason);
  }

  @Override
  public void undelivered(OutboundMessage message, String reason) {
    if (message.kind() == OutboundKind.ALERT) {
      var optedOut =
          participants
              .findWithContacts(message.participantId())
              .filter(Participant::optedOut)
              .isPresent();
      rows.ofDelivery(message.id())
          .ifPresent(alert ->
              rows.ended(alert.id(), optedOut ? AlertFault.OPTED_OUT : AlertFault.UNDELIVERED));
    }
  }
}
