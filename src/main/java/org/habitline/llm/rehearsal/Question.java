package org.habitline.llm.rehearsal;

import java.util.Arrays;
import java.util.Optional;

/**
 * What the script asks. It remembers nothing, so each question must be known again by its words
 * when it stands in the history.
 */
enum Question {
  NOW_OR_PERSONAL("Would you like to try it right now, or make it personal first?"),
  ANCHOR(
      "Which everyday moment could it hang on? For example: while the coffee brews, or before a meeting."),
  FRAME(
      "And why would it be good for you right now? For example: more energy, a small win, a bit more control."),
  TIME("When in the day suits you best? A time or a window is fine."),
  INFO("Is there anything else I should know to make it yours?"),
  TRY_NOW("Shall we try one minute of it right now?"),
  DID_IT("Did you get a chance to try it?"),
  WHAT_WORKED("What made it work?"),
  BARRIER("No problem at all. What got in the way?"),
  EASIER("I see. What would have made it easier?"),
  CHANGE("Is there anything you would change about it?"),
  NEW_PROMPT("Would you like a new prompt with that?");

  /** What is said when an answer was vague; it is asked once more, and then something is taken. */
  private static final String AGAIN = "Take your time, a rough idea is enough. ";

  private final String words;

  Question(String words) {
    this.words = words;
  }

  String words() {
    return words;
  }

  String again() {
    return AGAIN + words;
  }

  /** Returns the question that a text of ours ended with, if it asked one. */
  static Optional<Question> in(String said) {
    return Arrays.stream(values()).filter(question -> said.endsWith(question.words)).findFirst();
  }

  static boolean wasAskedAgain(String said) {
    return said.contains(AGAIN);
  }
}
