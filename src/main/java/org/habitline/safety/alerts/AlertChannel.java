package org.habitline.safety.alerts;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How an alert leaves. */
public enum AlertChannel {
  EMAIL("e-mail"),
  WEBHOOK("webhook"),
  /** By the outbox that also sends messages to participants, and so over Twilio. */
  SMS("SMS");

  private final String title;

  AlertChannel(String title) {
    this.title = title;
  }

  /** Returns the method in words for staff. */
  public String title() {
    return title;
  }

  /** Returns the word used in the database and over the API, in lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
