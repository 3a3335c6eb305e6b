package org.habitline.study.coding;

import org.habitline.messaging.OutboundKind;
import org.jspecify.annotations.Nullable;

/** The kind of a message of the line, which is all that a coder sees of it. */
public enum LineMessage {
  DAILY_PROMPT("the daily prompt"),
  OUTCOME_QUESTION("the question whether they did it"),
  REMINDER("a reminder of the daily prompt"),
  /** How intense prompts should be, or how another prompt went. */
  OTHER_QUESTION("a question about something else"),
  REPLY("a reply of the coach");

  private final String title;

  LineMessage(String title) {
    this.title = title;
  }

  /** Returns the words for a page and for the model. */
  public String title() {
    return title;
  }

  /**
   * Returns the kind of a message.
   *
   * @param kind why it was sent, or {@code null} if that is not known
   * @param askedLater whether the question about the outcome took the place of the reminder
   */
  static LineMessage of(@Nullable OutboundKind kind, boolean askedLater) {
    if (kind == null) {
      return REPLY;
    }
    return switch (kind) {
      case PROMPT -> DAILY_PROMPT;
      case REMINDER -> askedLater ? OUTCOME_QUESTION : REMINDER;
      case INTENSITY, CHECK_IN -> OTHER_QUESTION;
      case REPLY,
          PROMPT_NOW,
          NUDGE,
          STAFF,
          DEBUG,
          SCRIPTED,
          CHOSEN,
          STATUS,
          HELP,
          CONFIRMATION,
          NOTICE,
          CRISIS,
          CONSENT,
          ALERT ->
          REPLY;
    };
  }
}
