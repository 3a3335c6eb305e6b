package org.habitline.safety.alerts;

/** Thrown when a test alert cannot be sent or acknowledged; the message says why, for staff. */
public final class AlertTestRefused extends RuntimeException {

  private static final long serialVersionUID = 1L;

  AlertTestRefused(String message) {
    super(message);
  }
}
