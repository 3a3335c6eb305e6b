package org.habitline.participants;

/**
 * Thrown when a text is no phone number. The message says what is accepted and does not repeat the
 * text.
 */
public final class UnreadablePhoneNumber extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnreadablePhoneNumber(String sentence) {
    super(sentence, null, false, false);
  }
}
