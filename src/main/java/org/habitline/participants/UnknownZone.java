package org.habitline.participants;

/**
 * Thrown when a text names no zone of the IANA time zone database; the message says what is
 * accepted.
 */
public final class UnknownZone extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnknownZone(String sentence) {
    super(sentence, null, false, false);
  }
}
