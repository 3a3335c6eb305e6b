package org.habitline.safety.incidents;

import jakarta.inject.Singleton;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.OutboundMessage;
import org.habitline.messaging.outbox.DeliveryListener;

/**
 * Records that the fixed text of an incident did not arrive, so that the person's next text gets
 * one.
 */
@Singleton
final class CrisisDeliveries implements DeliveryListener {

  private final JdbcIncidentEntries rows;

  CrisisDeliveries(JdbcIncidentEntries rows) {
    this.rows = rows;
  }

  @Override
  public void refused(OutboundMessage message, String reason) {
    undelivered(message, reason);
  }

  @Override
  public void undelivered(OutboundMessage message, String reason) {
    if (message.kind() == OutboundKind.CRISIS) {
      rows.notAnswered(message.id());
    }
  }
}
