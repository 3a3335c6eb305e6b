package org.habitline.messaging;

/** What a channel knows of a text whose fate is unknown. */
public sealed interface LookUp {

  /** It was sent, under this provider id. */
  record Sent(String providerId) implements LookUp {}

  /** It was certainly not sent. */
  record NotSent() implements LookUp {}

  /** The channel cannot tell now; asking again later may help. */
  record CannotTell(String reason) implements LookUp {}
}
