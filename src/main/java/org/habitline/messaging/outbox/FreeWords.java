package org.habitline.messaging.outbox;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.habitline.messaging.Channel;
import org.habitline.messaging.Channels;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.OutboundMessage;
import org.habitline.messaging.inbox.InboxReader;
import org.habitline.messaging.inbox.JdbcUnclaimed;
import org.habitline.participants.ChannelKind;
import org.habitline.storage.Transactions;

/**
 * Decides whether free-form messages may be sent to someone now. If not, only templates are sent
 * until they text again. This is WhatsApp's rule.
 */
@Singleton
public final class FreeWords {

  /** How long after the person's last text: 24 h, less the time of a send. */
  private static final Duration WINDOW = Duration.ofHours(24).minusMinutes(1);

  private final InboxReader inbox;
  private final JdbcUnclaimed unclaimed;
  private final Channels channels;
  private final Transactions transactions;
  private final Clock systemClock;

  FreeWords(
      InboxReader inbox,
      JdbcUnclaimed unclaimed,
      Channels channels,
      Transactions transactions,
      @Named("system") Clock systemClock) {
    this.inbox = inbox;
    this.unclaimed = unclaimed;
    this.channels = channels;
    this.transactions = transactions;
    this.systemClock = systemClock;
  }

  /** The state of the time window for free-form messages, which a person's text opens. */
  enum Window {
    /** The channel has no window: free-form messages may always be sent. */
    NONE,
    OPEN,
    CLOSED
  }

  /** Returns whether free-form messages may be sent to a participant on a channel now. */
  public boolean mayGo(String participantId, ChannelKind channel) {
    return !hasWindow(channel) || mayGo(channel, inbox.lastStored(participantId, channel));
  }

  /**
   * Returns whether free-form messages may be sent now to a participant whose newest text on the
   * channel was stored at this instant, if there is one.
   */
  public boolean mayGo(ChannelKind channel, Optional<Instant> lastStored) {
    return !hasWindow(channel) || isOpen(lastStored, systemClock.instant());
  }

  /** Returns the state of the window for a message that is to be sent at this instant. */
  Window window(OutboundMessage message, Instant now) {
    if (!hasWindow(message.channel())) {
      return Window.NONE;
    }
    var last =
        inbox
            .lastStored(message.participantId(), message.channel())
            .or(() -> lastUnclaimed(message));
    return isOpen(last, now) ? Window.OPEN : Window.CLOSED;
  }

  private boolean hasWindow(ChannelKind channel) {
    return channels.of(channel).filter(Channel::hasWindow).isPresent();
  }

  private static boolean isOpen(Optional<Instant> last, Instant now) {
    return last.filter(at -> at.plus(WINDOW).isAfter(now)).isPresent();
  }

  /** Returns when a contact last texted; texts of people not enrolled are in another table. */
  private Optional<Instant> lastUnclaimed(OutboundMessage message) {
    return message.kind() == OutboundKind.SCRIPTED || message.kind() == OutboundKind.CRISIS
        ? transactions.read(() -> unclaimed.lastFrom(message.channel(), message.to().e164()))
        : Optional.empty();
  }
}
