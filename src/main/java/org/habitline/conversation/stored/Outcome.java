package org.habitline.conversation.stored;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How a turn ended, as researchers and staff see it. */
public enum Outcome {
  /** The model's own words went out. */
  REPLIED,
  /** The line itself answered (HELP, a revocation) or had nothing to say, for a recorded reason. */
  NOT_FOR_THE_COACH,
  /** The same words came turn after turn, as from another machine: no model was asked. */
  BRAKED,
  /** Staff took the conversation over while the model was asked: its words were not sent. */
  TAKEN_OVER,
  /** A wake-up did what it was for. */
  WOKE,
  /** What staff asked for was sent. */
  ASKED,
  /**
   * A wake-up rang, or staff asked, and what it was for was not wanted any more, for a recorded
   * reason.
   */
  DROPPED,
  /** The model could not be reached or gave no usable answer in time. */
  MODEL_FAILED,
  /** The model declined. */
  REFUSED,
  /** A content filter took the answer away. */
  CONTENT_FILTERED,
  /** The model ran out of iterations without a usable text. */
  NO_TEXT,
  /** The context could not be built. */
  NO_CONTEXT,
  /** The turn crashed the process too often. */
  CRASHED,
  /** The participant left in the middle of it. */
  CANCELLED;

  /** The word used in the database and over the API: lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public boolean failed() {
    return switch (this) {
      case REPLIED, NOT_FOR_THE_COACH, BRAKED, TAKEN_OVER, WOKE, ASKED, DROPPED -> false;
      case MODEL_FAILED, REFUSED, CONTENT_FILTERED, NO_TEXT, NO_CONTEXT, CRASHED, CANCELLED -> true;
    };
  }
}
