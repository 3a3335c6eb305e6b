package org.habitline.safety.alerts;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What became of an alert. */
public enum AlertStatus {
  /** It is to be sent, perhaps again. */
  PLANNED,
  /** The outbox has it, and its delivery says what becomes of it. */
  SENDING,
  /** Its server took it. */
  SENT,
  /** It did not arrive and is not tried again; the next round is a new alert. */
  FAILED,
  /** It was not sent: somebody acknowledged the incident, or a later alert took its place. */
  DROPPED;

  /** Returns the word used in the database and over the API, in lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
