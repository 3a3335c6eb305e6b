package org.habitline.rehearsal.model;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What a message of the script leaves open, such as a question, with its wordings. The script
 * recognizes its last cue by finding these words in the history, so no text here may be part of
 * another.
 *
 * <p>The first text asks, the second follows up on a vague answer, the third is used after a
 * failure.
 */
enum Cue {
  CHOICE(
      "Would you like to try it right now, or make it personal first?",
      "Just to be sure: shall we try it now, or make it personal first?"),
  MOMENT(
      "Which moment of your day would suit it, such as while the coffee brews or "
          + "before a meeting?",
      "Any small moment that happens most days will do: waking up, a coffee, lunch, "
          + "coming home. Which one suits you?"),
  REASON(
      "What would make it worth it for you right now: more control, a small win, "
          + "more energy, or something else?",
      "In a word or two: what would you like to feel more of, or less of?"),
  TIME(
      "When in the day does it suit you best, a time or a window?",
      "Roughly will do: morning, midday, afternoon or evening?"),
  CLOCK("Roughly what time would that be, on the clock?"),
  OTHER_TIME(
      "Which other time would suit you?", "Could you tell me once more which time suits you?"),
  MORE("Is there anything else that would make it yours, or is that all?"),
  OFFER(
      "Would you like to try one minute of it right now?",
      "Just a yes or a no: one minute of it, right now?",
      "Shall I try again to write it?"),
  HANDOVER("Let's make it personal first: text me anything, and we begin."),
  TRIED("Did you get a chance to try it?", "Even a few seconds count. Did you try it, yes or no?"),
  CHECK_IN("How did your minute go?", "No pressure at all: did your minute work out?"),
  WORKED(
      "What made it work for you?",
      "Was it the moment, the place, how short it was, or something else that helped?"),
  BARRIER("What got in the way?", "Was it more the moment, the time, or what there was to do?"),
  BARRIER_MORE("What was going on just then?"),
  TWEAK(
      "What would you change about it, if anything?",
      "The moment, the time, the habit itself, or nothing at all?"),
  NEW_PROMPT(
      "Would you like a new prompt to go with that?",
      "Just a yes or a no: a new prompt?",
      "Shall I try again to write you a new one?"),
  CLOSED(
      "Lovely. Text me whenever you want to tell me how it went or change something.",
      "You're welcome! I'm here whenever you want to tell me how it went.",
      "No rush at all. Text me whenever it suits you.",
      "I'm here whenever you want to tell me how it went or change something.");

  @SuppressWarnings("ImmutableEnumChecker") // made by List.of
  private final List<String> texts;

  Cue(String... texts) {
    this.texts = List.of(texts);
  }

  /** A cue that was given, by its first text or by the follow-up on a vague answer. */
  record Given(Cue cue, boolean followUp) {
    String text() {
      return followUp ? cue.followUp() : cue.text();
    }
  }

  String text() {
    return texts.getFirst();
  }

  /** Returns the follow-up on a vague answer, or the question itself if it has none. */
  String followUp() {
    return texts.get(Math.min(1, texts.size() - 1));
  }

  /** Returns the last text, which is used after a failure. */
  String afterFailure() {
    return texts.getLast();
  }

  List<String> texts() {
    return texts;
  }

  static Optional<Given> in(String said) {
    return Arrays.stream(values())
        .flatMap(cue ->
            cue.texts.stream()
                .filter(said::contains)
                .map(text -> new Given(cue, cue.texts.indexOf(text) == 1)))
        .findFirst();
  }
}
