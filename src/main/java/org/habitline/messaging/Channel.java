package org.habitline.messaging;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;
import org.habitline.participants.ChannelKind;

/**
 * A road to phones. Both methods block the calling (virtual) thread, are called with no transaction
 * open, and report what happened instead of throwing.
 */
public interface Channel {

  ChannelKind kind();

  /** Sends one text, once: a channel never repeats a request on its own. */
  Delivery send(OutboundMessage message);

  /** Returns how long {@link #send} takes at the most, from its call to its return. */
  default Duration sendsWithin() {
    return Duration.ZERO;
  }

  /** Says whether a text whose fate is unknown was sent. */
  LookUp lookUp(OutboundMessage message, Attempt attempt);

  /** Returns what the provider knows of a text it took, or empty if it does not say now. */
  default Optional<DeliveryReport> report(String providerId) {
    return Optional.empty();
  }

  /**
   * Returns what an error code of the provider says about a text, in a few words for staff; empty
   * if it is none of the codes that are known.
   */
  default Optional<String> meaning(String code) {
    return Optional.empty();
  }

  /**
   * Returns how many segments a second the sender may send, more than zero; empty if there is no
   * limit.
   */
  default OptionalDouble pace() {
    return OptionalDouble.empty();
  }

  /** Whether free words go only to those who texted within the last 24 hours. */
  default boolean hasWindow() {
    return kind().takesTemplates();
  }
}
