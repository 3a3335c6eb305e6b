package org.habitline.flows;

import java.time.LocalTime;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A flow's settings for daily prompts.
 *
 * @param at the local time of a schedule requested without one: {@code DEFAULT_SCHEDULE} if it is
 *     set, else the time in the flow's file
 * @param most how many daily schedules a participant may have, 1 to 10; with one, a new schedule
 *     replaces it
 * @param question the question at the end of every prompt
 * @param done the quick reply that counts as a success
 * @param notDone the quick reply that does not count as a success
 * @param feedbackState the module that takes over to ask how it went, or {@code null} if none does
 *     so by itself
 * @param intensity the question that comes with the first prompt of a day, or {@code null} for none
 * @param reminder the single reminder to a participant who does not reply to a prompt
 * @param checkIn the message sent if the model cannot ask how a prompt from the conversation went
 * @param followUp the second such message
 * @param time the profile field that holds, in the participant's words, when the prompt suits them;
 *     {@code null} if none does
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
    String followUp,
    @Nullable ProfileField time) {

  /** Creates settings without a field for the time. */
  public DailyPrompt(
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
    this(
        at,
        most,
        question,
        done,
        notDone,
        feedbackState,
        intensity,
        reminder,
        checkIn,
        followUp,
        null);
  }

  /** The placeholder in the question for the current value. */
  static final String VALUE = "{{value}}";

  /** The placeholder in the question for the other values. */
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
        followUp,
        time);
  }

  /**
   * The question of how demanding the habit should be.
   *
   * @param field the profile field that holds the value, a choice with a default
   * @param question with {@code {{value}}} and {@code {{others}}}
   */
  public record Intensity(ProfileField field, String question) {

    /** Returns the question for the current value; it offers only the other values. */
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
