package org.habitline.messaging.inbox;

/** What became of an incoming text. Every case is final: the sender need not send it again. */
public sealed interface Acceptance {

  /** It is on disk and will be answered, or a recorded reason will say why not. */
  record Stored(String participantId) implements Acceptance {}

  /** The same provider id is on disk already; nothing was stored. */
  record Repeated() implements Acceptance {}

  /** Nobody with this number is enrolled; it is kept for staff and not answered. */
  record UnknownSender() implements Acceptance {}
}
