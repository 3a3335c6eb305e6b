package org.habitline.flows;

import java.time.LocalTime;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a flow's daily prompts are like.
 *
 * @param at the local time of a schedule that was asked for without one: {@code DEFAULT_SCHEDULE}
 *     where the line sets it, else what the flow's file says
 * @param most daily schedules a participant may have, 1 to 10; with one, a new schedule replaces it
 * @param question what stands under every prompt
 * @param done the quick reply that counts as a success
 * @param notDone the quick reply that does not
 * @param feedbackState the module that hears how it went, or {@code null} if none takes over by
 *     itself
 * @param intensity what is asked with the first prompt of a day, or {@code null} for nothing
 * @param reminder the one text to somebody who stays silent after a prompt
 * @param checkIn what is said if the model cannot ask how a prompt from the conversation went
 * @param followUp the same, the second time
 */
public record DailyPrompt(
    LocalTime at,
    int most,
    String question,
    String done,
    String notDone,
    @Nullable String feedbackState,
    @Nullable Intensity intensity,
    String reminder,
    String checkIn,
    String followUp) {

  /** What stands in the question for the value that holds now. */
  static final String VALUE = "{{value}}";

  /** What stands in the question for the values it can be changed to. */
  static final String OTHERS = "{{others}}";

  DailyPrompt at(LocalTime usual) {
    return new DailyPrompt(
        usual,
        most,
        question,
        done,
        notDone,
        feedbackState,
        intensity,
        reminder,
        checkIn,
        followUp);
  }

  /**
   * The question how demanding the habit should be.
   *
   * @param field the profile field that holds it, a choice with a default
   * @param question with {@code {{value}}} and {@code {{others}}}
   */
  public record Intensity(ProfileField field, String question) {

    /** Returns the question for the value that holds now; it offers only what can change. */
    public String question(String value) {
      var others = field.values().stream().filter(other -> !other.equals(value)).toList();
      var texts = Map.of(VALUE, value, OTHERS, String.join(" or ", others));
      var asked = question;
      for (var text : texts.entrySet()) {
        asked = asked.replace(text.getKey(), text.getValue());
      }
      return asked;
    }
  }
}
