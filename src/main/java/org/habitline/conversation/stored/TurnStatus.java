package org.habitline.conversation.stored;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How far a turn came. */
public enum TurnStatus {
  /** It is being answered, or was left half done and is resumed. */
  RUNNING,
  DONE,
  /** It gave no usable answer; the flow's own text went out instead. */
  FAILED;

  /** The word used in the database and over the API: lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
