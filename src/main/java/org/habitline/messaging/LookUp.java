package org.habitline.messaging;

/** A channel's finding on a message whose outcome is unknown. */
public sealed interface LookUp {

  /** The message was sent, under this provider id. */
  record Sent(String providerId) implements LookUp {}

  /** The message was certainly not sent. */
  record NotSent() implements LookUp {}

  /** The channel cannot tell now; asking again later may help. */
  record CannotTell(String reason) implements LookUp {}
}
