package org.habitline.participants;

/** How the line learned that a number opted out; the database holds it as a lower-case word. */
public enum OptOutSource {
  /** A text that was a keyword, such as STOP. */
  KEYWORD,
  /** A text that asked for it in other words. */
  FREE_WORDS,
  /** The provider refused a text to this number for it. */
  PROVIDER,
  /** The provider's list of texts, read after an erasure. */
  PROVIDER_LIST,
  /** A text from a number that was not enrolled then. */
  NOT_ENROLLED,
  /** A text whose sender was matched to a participant only later. */
  UNKNOWN_SENDER
}
