package org.habitline.safety.incidents;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How far staff are with an incident. Only a person moves it on, never time. */
public enum IncidentStatus {
  /** No one has acknowledged it. */
  OPEN,
  /** Somebody looks after it. */
  ACKNOWLEDGED,
  /** It is over. */
  RELEASED;

  /** Returns the word used in the database and over the API, in lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
