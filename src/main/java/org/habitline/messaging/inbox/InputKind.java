package org.habitline.messaging.inbox;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** The kinds of input that a turn handles. */
public enum InputKind {
  /** Texts of the participant. */
  SAID,
  /** Their enrolment: they are greeted. */
  ENROLLED,
  /** A staff request. */
  ASKED,
  /** A wake-up that is due. */
  WOKE;

  /** Returns the word used in the database and over the API, in lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
