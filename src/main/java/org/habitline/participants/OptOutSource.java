package org.habitline.participants;

/** How Habitline learned that a number opted out; the database holds it as a lower-case word. */
public enum OptOutSource {
  /** The participant texted a keyword, such as STOP. */
  KEYWORD,
  /** The participant asked for it in other words. */
  FREE_WORDS,
  /** The provider refused a message because the number had opted out. */
  PROVIDER,
  /** A text on the provider's list of messages, read after an erasure. */
  PROVIDER_LIST,
  /** A text from a number that was not enrolled at the time. */
  NOT_ENROLLED,
  /** A text whose sender was matched to a participant only later. */
  UNKNOWN_SENDER
}
