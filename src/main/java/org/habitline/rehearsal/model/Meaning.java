package org.habitline.rehearsal.model;

/**
 * The meanings that the script recognizes in a participant's text. {@code docs/rehearsal.md} has
 * examples of each.
 */
enum Meaning {
  CRISIS,
  UNWILLING,
  HEALTH,
  ADVERSE_EVENT,
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
  /** Nothing in the text could be a word. */
  NONSENSE
}
