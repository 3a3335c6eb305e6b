package org.habitline.messaging.inbox;

/** The outcome of storing an incoming text. All are final: the provider need not send it again. */
public sealed interface Acceptance {

  /** The text is stored and will get a reply, or a recorded reason why not. */
  record Stored(String participantId) implements Acceptance {}

  /** A text with the same provider id was stored before; nothing was stored. */
  record Repeated() implements Acceptance {}

  /** No participant has this number; the text is kept for staff and gets no reply. */
  record UnknownSender() implements Acceptance {}
}
