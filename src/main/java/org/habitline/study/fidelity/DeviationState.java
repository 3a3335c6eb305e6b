package org.habitline.study.fidelity;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How far staff are with a deviation. */
public enum DeviationState {
  OPEN,
  /** Staff know why it happened; it counts in the report of the study. */
  EXPLAINED,
  /** Staff looked at it, and nothing more is to be said. */
  CLOSED;

  /** Returns the word used in the database and over the API, in lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
