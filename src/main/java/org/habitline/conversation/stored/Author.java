package org.habitline.conversation.stored;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** Who wrote a message of the transcript. */
public enum Author {
  PARTICIPANT,
  /** The coach, or the line itself. */
  BOT,
  /** A person of the staff, or a script of theirs. */
  STAFF;

  /** The word used in the database and over the API: lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
