package org.habitline.conversation.stored;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How a turn ended, as researchers and staff see it. */
public enum Outcome {
  /** The model's reply was sent. */
  REPLIED,
  /** A fixed message was sent (HELP, a revocation) or none was needed, for a recorded reason. */
  NOT_FOR_THE_COACH,
  /** The same words came turn after turn, as from another machine, so no model was asked. */
  BRAKED,
  /** Staff took the conversation over while the model was running; its reply was not sent. */
  TAKEN_OVER,
  /** A wake-up was carried out. */
  WOKE,
  /** A prompt that staff requested was sent. */
  ASKED,
  /**
   * A wake-up was due, or staff had requested a prompt, but it was no longer wanted, for a recorded
   * reason.
   */
  DROPPED,
  /** The model could not be reached or gave no usable reply in time. */
  MODEL_FAILED,
  /** Another model answered than the one asked, and the study refuses that. */
  OTHER_MODEL,
  /** The model declined. */
  REFUSED,
  /** A content filter withheld the model's reply. */
  CONTENT_FILTERED,
  /** A gate withheld the model's words. */
  GATED,
  /** The model ran out of iterations without a usable text. */
  NO_TEXT,
  /** The context could not be built. */
  NO_CONTEXT,
  /** The turn failed or ended the process too often. */
  CRASHED,
  /** The participant left while the turn was running. */
  CANCELLED;

  /** Returns the word used in the database and over the API: lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public boolean failed() {
    return switch (this) {
      case REPLIED, NOT_FOR_THE_COACH, BRAKED, TAKEN_OVER, WOKE, ASKED, DROPPED -> false;
      case MODEL_FAILED,
          OTHER_MODEL,
          REFUSED,
          CONTENT_FILTERED,
          GATED,
          NO_TEXT,
          NO_CONTEXT,
          CRASHED,
          CANCELLED ->
          true;
    };
  }
}
