package org.habitline.timers;

import java.util.Locale;

/** What a wake-up is for (spec of seed 003: its timers). */
public enum WakeupKind {
  /** An occurrence of a schedule is due. */
  DAILY_PROMPT,
  /** A daily prompt got no reply. */
  REMINDER,
  /** A daily prompt was sent some time ago; from now on the feedback module replies. */
  AUTO_FEEDBACK,
  /** A prompt from the conversation got no reply. */
  CHECK_IN,
  /** The check-in got no reply either. */
  FOLLOW_UP,
  /** A move to another module that a model requested with a delay. */
  TRANSITION,
  /** Automatic replies resume after a takeover. */
  HAND_BACK,
  /** Staff let the coach reply to a text whose turn failed. */
  RETRY,
  /** The participant has moved to another time zone. */
  ZONE_MOVE,
  /** The participant has been silent in a module, before or after they were nudged. */
  NUDGE,
  /** A prompt that a staff script scheduled for this time; it recurs by its own rule. */
  SCRIPTED;

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
