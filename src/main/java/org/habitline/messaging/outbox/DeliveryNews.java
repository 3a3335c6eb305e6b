package org.habitline.messaging.outbox;

import jakarta.inject.Singleton;
import java.util.List;
import java.util.function.Consumer;
import org.habitline.audit.Events;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.messaging.OutboundMessage;
import org.habitline.participants.ChannelKind;
import org.jspecify.annotations.Nullable;

/**
 * Announces changes of deliveries: to staff's pages by events, and to listeners when a delivery
 * ends. Joins the running transaction, so that announcements and changes are committed together.
 */
@Singleton
final class DeliveryNews {

  private final Events events;
  private final List<DeliveryListener> listeners;

  DeliveryNews(Events events, List<DeliveryListener> listeners) {
    this.events = events;
    this.listeners = listeners;
  }

  /**
   * Announces a delivery's new status.
   *
   * @param code the error that the provider gave, if it gave one
   */
  void moved(OutboundMessage message, DeliveryStatus status, @Nullable String code) {
    moved(message.participantId(), message.id(), message.channel(), status, code);
  }

  void moved(
      String participantId,
      String id,
      ChannelKind channel,
      DeliveryStatus status,
      @Nullable String code) {
    events.emit(DeliveryUpdate.TYPE, participantId, DeliveryUpdate.of(id, status, channel, code));
  }

  /** Announces that the provider accepted a message. */
  void accepted(OutboundMessage message) {
    moved(message, DeliveryStatus.ACCEPTED, null);
    tell(listener -> listener.accepted(message));
  }

  /** Announces that it stays unknown whether a message was sent, and that look-ups have ended. */
  void lost(OutboundMessage message, String reason) {
    moved(message, DeliveryStatus.UNKNOWN, null);
    tell(listener -> listener.refused(message, reason));
  }

  /**
   * Announces that a message will not be sent. A retry counts as undelivered, because the provider
   * accepted the message before.
   */
  void refused(JdbcOutbox.Row row, OutboundMessage message, String reason) {
    if (row.retryOf() == null) {
      tell(listener -> listener.refused(message, reason));
    } else {
      undelivered(message, reason);
    }
  }

  /**
   * Announces that a message was not sent in time. A retry counts as undelivered, because the
   * provider accepted the message before.
   */
  void missed(JdbcOutbox.Row row, OutboundMessage message, String reason) {
    if (row.retryOf() == null) {
      tell(listener -> listener.missed(message, reason));
    } else {
      undelivered(message, reason);
    }
  }

  /** Announces that the provider accepted a message and could not deliver it. */
  void undelivered(OutboundMessage message, String reason) {
    tell(listener -> listener.undelivered(message, reason));
  }

  private void tell(Consumer<DeliveryListener> news) {
    listeners.forEach(news);
  }
}
