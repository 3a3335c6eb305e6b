package org.habitline.participants;

import java.util.Locale;

/** Whether Habitline may message a participant. Only an {@code ACTIVE} one gets replies. */
public enum ParticipantStatus {
  ACTIVE,
  PAUSED,
  COMPLETED,
  WITHDRAWN;

  /** Returns the lower-case word used in the database and the API. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
