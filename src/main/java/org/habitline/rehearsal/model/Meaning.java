package org.habitline.rehearsal.model;

/** What a participant's words may mean. {@code docs/rehearsal.md} has examples of each. */
enum Meaning {
  CRISIS,
  UNWILLING,
  HEALTH,
  ABOUT,
  ABILITY,
  REMINDER,
  QUESTION,
  HELLO,
  THANKS,
  LATER,
  YES,
  NO,
  NOW,
  PERSONAL,
  VAGUE,
  NOTHING,
  CORRECTION,
  TRIED,
  NOT_TRIED,
  NEW_PROMPT,
  TONE,
  MOMENT,
  TIME,
  REASON,
  HABIT,
  INTENSITY,
  PLACE,
  NO_PROMPTS,
  /** No word in it that could be one. */
  NONSENSE
}
