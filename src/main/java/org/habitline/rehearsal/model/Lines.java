package org.habitline.rehearsal.model;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The script's messages other than its questions. None claims more than its name says. */
final class Lines {

  static final String REHEARSAL =
      "Hi! This is a rehearsal: a fixed script answers here, not an AI model.";
  static final List<String> EXAMPLES =
      List.of("take about fifty steps on the spot", "walk about fifty steps around the room");
  static final String LIKE_THIS = "A prompt looks like this: \"When your phone buzzes, %s.\"";

  static final String NOTED = "Noted.";
  static final String CHANGED = "Okay, that is changed.";
  static final String TONE_NOTED = "Noted, thank you for telling me how you like it.";
  static final String COULD_NOT_NOTE =
      "Sorry, I could not note that just now. Could you tell me once more?";
  static final String NOTHING_KEPT = "I have nowhere to keep that here, but I am listening.";
  static final String COULD_NOT_WRITE =
      "Sorry, that did not work: I have no prompt for you just now.";
  static final String NO_PROMPTS_HERE = "I cannot write prompts here. You can still try this: %s.";

  static final String CANNOT_WRITE_YET =
      "I cannot write a prompt yet: I need to know your moment and your time first.";

  static final String FOR_NOW = "Then let's begin with \"%s\"; you can change that any time.";
  static final String TRY_NOW = "Great, go for it: %s.";
  static final String TELL_ME = "Text me how it went.";
  static final String NOT_NOW =
      "That's fine. Try it when your moment comes, and text me how it went.";
  static final String NO_RUSH_CHOICE =
      "No rush. Text me \"now\" or \"personal\" whenever you like.";
  static final String GLAD = "Well done!";
  static final String NO_MATTER = "That happens. No problem.";
  static final String THANKS_FOR_TELLING = "Thanks for telling me.";

  static final String ABOUT =
      "This is a rehearsal: a fixed script answers, no AI model and no person.";
  static final String ABILITY =
      "I help to set up a one-minute habit and ask how it went. This is a "
          + "rehearsal, so I follow a fixed script.";

  /** Placeholders: time of day, time zone, and the day of the next prompt. */
  static final String EVERY_DAY = "Your habit prompt comes every day %s (%s)%s.";

  static final String NEXT_ON = ", next on %s";
  static final String AT = "at %s";
  static final String BETWEEN = "between %s and %s";
  static final String ALREADY = "That is already your time.";
  static final String OUTSIDE = "Your habit prompt can only come between %s and %s.";
  static final String NOT_ACCEPTED = "I could not set up your habit prompt: %s";
  static final String COULD_NOT_SCHEDULE =
      "Sorry, I could not set up your daily habit prompt just now.";
  static final String PROMPTS_OFF =
      "Okay, your daily prompts are off. Name a time whenever you want them back, or text STOP to "
          + "get nothing more from me.";
  static final String NO_DAILY =
      "There is no daily prompt set up for you. Text STOP to get nothing more from me.";
  static final String COULD_NOT_STOP =
      "Sorry, I could not switch off your daily prompts just now. Text STOP to get nothing more "
          + "from me.";
  static final String CAN_REMIND =
      "I can send you one habit prompt a day: just tell me at what time.";
  static final String REMINDS = "You get one habit prompt a day, %s.";
  static final String INTENSITY = "%s it is.";

  static final String REMINDER = "I cannot set reminders or promise a text at a certain time.";
  static final String HEALTH =
      "I cannot give medical advice; a doctor or another professional can. Please "
          + "only do what is comfortable for you.";
  static final String CANNOT_ANSWER = "I only know about small habits, so I cannot answer that.";
  static final String WELCOME = "You're welcome!";
  static final String HELLO = "Hi!";
  static final String NO_RUSH = "No rush.";

  static final String RESOURCES =
      "I am a scripted habit coach and cannot help with a crisis, but people can: "
          + "please call your local emergency number, or find a helpline near you at "
          + "findahelpline.com.";
  static final String FAIR_ENOUGH =
      "Fair enough. Text STOP to leave, or anything else to go on whenever you like.";

  /** Placeholder: what was wrong, as the tool says it. */
  static final String COULD_NOT_KEEP = "I could not note that. %s";

  /** Placeholder: the values that are accepted. */
  static final String ACCEPTED = "This works: %s.";

  static final String TRY_AGAIN = "Please try again.";
  static final String NOT_UNDERSTOOD = "I did not understand that.";

  /** Placeholder: what was wrong, as the tool says it. */
  static final String DID_NOT_WORK = "That did not work: %s";

  static final String NOT_FINISHED = "I could not finish that. Please ask me again.";
  static final String HAVE_ALL = "I have everything.";

  /** Placeholder: the saved values, as the tool read them. */
  static final String READ_BACK = "This is what I have: %s.";

  static final String CONFIRM = "Shall I finish?";

  /** Placeholder: what the tool said. */
  static final String FINISHED = "All done. %s";

  static final String PART_DONE = "That is all for this part. Text me anything to go on.";
  static final String ALL_DONE = "That is all I need. Thank you!";
  static final String NOTHING_TO_ASK =
      "This is a rehearsal: a fixed script answers here, and this module has nothing to ask.";

  private Lines() {}

  /** Returns a form's summary in two points. */
  static String summary(Map<String, String> values) {
    var saved =
        values.entrySet().stream()
            .map(value -> value.getKey().replace('_', ' ') + " " + value.getValue())
            .collect(Collectors.joining(", "));
    return "- Saved: %s.\n- The rehearsal's script wrote this summary, not a model."
        .formatted(saved.isEmpty() ? "nothing" : saved);
  }
}
