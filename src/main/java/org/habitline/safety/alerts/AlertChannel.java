package org.habitline.safety.alerts;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How an alert leaves. */
public enum AlertChannel {
  EMAIL,
  WEBHOOK,
  /** By the outbox that also sends messages to participants. */
  SMS;

  /** Returns the word used in the database and over the API, in lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
