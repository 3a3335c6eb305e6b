package org.habitline.safety.alerts;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.inbox.Newcomers;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participants;
import org.habitline.participants.PhoneNumber;

/**
 * Sends alerts by SMS through the outbox, which paces them, looks up what is in doubt and follows
 * the provider's reports. A number that belongs to no participant becomes a contact.
 */
@Singleton
final class SmsAlerts {

  private final Outbox outbox;
  private final Newcomers newcomers;
  private final Participants participants;

  SmsAlerts(Outbox outbox, Newcomers newcomers, Participants participants) {
    this.outbox = outbox;
    this.newcomers = newcomers;
    this.participants = participants;
  }

  /**
   * Plans an alert in the running transaction; returns why it cannot be sent, or empty.
   *
   * @param keeps how long it is worth sending
   */
  Optional<AlertFault> plan(AlertWords words, PhoneNumber to, Duration keeps) {
    var receiver =
        participants
            .findWithContacts(to)
            .or(() -> Optional.ofNullable(newcomers.contact(to, ChannelKind.SMS)));
    if (receiver.isEmpty()) {
      // The participant with this number is being erased.
      return Optional.of(AlertFault.MISCONFIGURED);
    }
    if (receiver.get().optedOut()) {
      return Optional.of(AlertFault.OPTED_OUT);
    }
    outbox.plan(
        new Outbox.Planned(
            receiver.get().id(),
            null,
            words.id(),
            OutboundKind.ALERT,
            ChannelKind.SMS,
            words.sms(),
            keeps,
            null,
            null));
    return Optional.empty();
  }

  /** Returns whether a number opted out. */
  boolean isOptedOut(PhoneNumber number) {
    return participants.optOutOf(number).isPresent();
  }

  /** Sends what waited for a test alert; joins the running transaction. */
  void launch() {
    outbox.launch();
  }
}
