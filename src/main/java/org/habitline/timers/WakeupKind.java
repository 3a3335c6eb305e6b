package org.habitline.timers;

import java.util.Locale;

/** What a wake-up is for (spec of seed 003: its timers). */
public enum WakeupKind {
  /** An occurrence of a schedule is due. */
  DAILY_PROMPT,
  /** A daily prompt was not answered. */
  REMINDER,
  /** A daily prompt went out: from now on the feedback module answers. */
  AUTO_FEEDBACK,
  /** A prompt that was given in the conversation was not answered. */
  CHECK_IN,
  /** Nor was the question how it went. */
  FOLLOW_UP,
  /** A move to another module that was asked for with a delay. */
  TRANSITION,
  /** Staff let the coach speak again. */
  HAND_BACK,
  /** A prompt that a script of staff's asked for at this time; it comes back by its own rule. */
  SCRIPTED;

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
