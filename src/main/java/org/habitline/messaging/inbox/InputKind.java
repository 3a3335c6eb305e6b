package org.habitline.messaging.inbox;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What a turn answers. */
public enum InputKind {
  /** Texts of the participant. */
  SAID,
  /** Their enrolment: they are greeted. */
  ENROLLED,
  /** Something staff asked for. */
  ASKED,
  /** A wake-up that rang. */
  WOKE;

  /** The word used in the database and over the API: lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
