package org.habitline.conversation.stored;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** Who wrote a message of the transcript. */
public enum Author {
  PARTICIPANT,
  /** The coach, or a fixed message of the flow. */
  BOT,
  /** A staff member, or a script of theirs. */
  STAFF;

  /** Returns the word used in the database and over the API: lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
