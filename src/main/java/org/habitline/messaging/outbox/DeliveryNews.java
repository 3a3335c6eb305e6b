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
 * Tells what became of texts: staff's pages by events, and listeners of every end. Joins the
 * running transaction, so that all of it is told or none.
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
   * A text came to stand there.
   *
   * @param code what the provider said went wrong, if it did
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

  /** The provider took a text. */
  void accepted(OutboundMessage message) {
    moved(message, DeliveryStatus.ACCEPTED, null);
    tell(listener -> listener.accepted(message));
  }

  /** Nobody knows whether a text went out, and nobody looks any more. */
  void lost(OutboundMessage message, String reason) {
    moved(message, DeliveryStatus.UNKNOWN, null);
    tell(listener -> listener.refused(message, reason));
  }

  /** A text will not be sent; one that was to be sent again was taken before. */
  void refused(JdbcOutbox.Row row, OutboundMessage message, String reason) {
    if (row.retryOf() == null) {
      tell(listener -> listener.refused(message, reason));
    } else {
      undelivered(message, reason);
    }
  }

  /** A text was not sent in its time; one that was to be sent again was taken before. */
  void missed(JdbcOutbox.Row row, OutboundMessage message, String reason) {
    if (row.retryOf() == null) {
      tell(listener -> listener.missed(message, reason));
    } else {
      undelivered(message, reason);
    }
  }

  /** The provider took a text and could not deliver it. */
  void undelivered(OutboundMessage message, String reason) {
    tell(listener -> listener.undelivered(message, reason));
  }

  private void tell(Consumer<DeliveryListener> news) {
    listeners.forEach(news);
  }
}
