package org.habitline.messaging.outbox;

import org.habitline.messaging.Delivery;
import org.habitline.messaging.DeliveryFailure;
import org.jspecify.annotations.Nullable;

/**
 * Why a message was not sent.
 *
 * @param words the reason, for people
 * @param failure what the provider's error means, if the provider gave one
 * @param code the provider's error, if it gave one
 */
record Trouble(String words, @Nullable DeliveryFailure failure, @Nullable String code) {

  static final String WINDOW_CLOSED =
      "window closed: the participant has not texted for 24 h, and the flow has no template for this";

  /** Returns the trouble of a message that may not go as free-form now and has no template. */
  static Trouble windowClosed() {
    return new Trouble(WINDOW_CLOSED, DeliveryFailure.WINDOW_CLOSED, null);
  }

  /** Returns the trouble of a message that Habitline itself did not send. */
  static Trouble ours(String words) {
    return new Trouble(words, null, null);
  }

  static Trouble met(Delivery.Refused refused) {
    return new Trouble(refused.reason(), refused.why(), refused.reason());
  }

  static Trouble met(Delivery.Deferred deferred) {
    return new Trouble(deferred.reason(), deferred.why(), deferred.reason());
  }

  /** Returns this trouble in other words. */
  Trouble put(String otherWords) {
    return new Trouble(otherWords, failure, code);
  }
}
