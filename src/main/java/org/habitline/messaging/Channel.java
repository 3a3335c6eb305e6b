package org.habitline.messaging;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;
import org.habitline.participants.ChannelKind;

/**
 * A way to reach phones through one provider, or the simulator. The methods block the calling
 * (virtual) thread, are called with no transaction open, and report what happened instead of
 * throwing.
 */
public interface Channel {

  ChannelKind kind();

  /** Sends a message. A channel never repeats a request on its own. */
  Delivery send(OutboundMessage message);

  /** Returns the longest time that {@link #send} takes, from its call to its return. */
  default Duration sendsWithin() {
    return Duration.ZERO;
  }

  /** Returns whether a message whose outcome is unknown was sent. */
  LookUp lookUp(OutboundMessage message, Attempt attempt);

  /** Returns the provider's report on a message it accepted, or empty if it has none now. */
  default Optional<DeliveryReport> report(String providerId) {
    return Optional.empty();
  }

  /** Returns a provider's error code in a few words for staff, or empty if it is not known. */
  default Optional<String> meaning(String code) {
    return Optional.empty();
  }

  /** Returns the segments a second that the sender may send (above 0), or empty without a limit. */
  default OptionalDouble pace() {
    return OptionalDouble.empty();
  }

  /** Returns whether free-form messages may go only to people who texted in the last 24 hours. */
  default boolean hasWindow() {
    return kind().takesTemplates();
  }
}
