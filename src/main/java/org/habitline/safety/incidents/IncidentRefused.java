package org.habitline.safety.incidents;

/** Thrown when an incident does not allow a step; the message says why, for staff. */
public final class IncidentRefused extends RuntimeException {

  private static final long serialVersionUID = 1L;

  IncidentRefused(String message) {
    super(message);
  }
}
