package org.habitline.conversation.stored;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** The progress of a turn. */
public enum TurnStatus {
  /** The turn is running, or was left unfinished and will be resumed. */
  RUNNING,
  DONE,
  /** The turn gave no usable reply; the flow's fallback message was sent instead. */
  FAILED;

  /** Returns the word used in the database and over the API: lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
