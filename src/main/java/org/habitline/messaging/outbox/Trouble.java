package org.habitline.messaging.outbox;

import org.habitline.messaging.Delivery;
import org.habitline.messaging.DeliveryFailure;
import org.jspecify.annotations.Nullable;

/**
 * Why a text did not leave.
 *
 * @param words for people
 * @param failure what the provider's error means, if it is the provider's
 * @param code the provider's error, if it named one
 */
record Trouble(String words, @Nullable DeliveryFailure failure, @Nullable String code) {

  static final String WINDOW_CLOSED =
      "window closed: the participant has not texted for 24 h, and the flow has no template for this";

  /** Free words may not go to them now, and nothing else can. */
  static Trouble windowClosed() {
    return new Trouble(WINDOW_CLOSED, DeliveryFailure.WINDOW_CLOSED, null);
  }

  /** The line itself did not send it. */
  static Trouble ours(String words) {
    return new Trouble(words, null, null);
  }

  static Trouble met(Delivery.Refused refused) {
    return new Trouble(refused.reason(), refused.why(), refused.reason());
  }

  static Trouble met(Delivery.Deferred deferred) {
    return new Trouble(deferred.reason(), deferred.why(), deferred.reason());
  }

  /** The same in other words. */
  Trouble put(String otherWords) {
    return new Trouble(otherWords, failure, code);
  }
}
