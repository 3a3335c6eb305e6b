package org.habitline.participants;

import java.util.Locale;

/** Whether and how the line may write to a participant. Only an {@code ACTIVE} one is answered. */
public enum ParticipantStatus {
  ACTIVE,
  PAUSED,
  COMPLETED,
  WITHDRAWN;

  /** The word used in the database and over the API: lower case. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
