package org.habitline.flows;

import java.time.Duration;
import java.time.LocalTime;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A flow's settings for daily prompts.
 *
 * @param at the local time of a schedule requested without one: {@code DEFAULT_SCHEDULE} if it is
 *     set, else the time in the flow's file
 * @param most how many daily schedules a participant may have, 1 to 10; with one, a new schedule
 *     replaces it
 * @param askAfter how long after a prompt the question follows, as the only message that does; then
 *     there is no reminder. {@code null} asks it at the end of the prompt
 * @param question the question about the outcome of a prompt
 * @param done the quick reply that counts as a success
 * @param notDone the quick reply that does not count as a success
 * @param feedbackState the module that takes over to ask how it went, or {@code null} if none does
 *     so by itself
 * @param intensity the question that comes with the first prompt of a day, or {@code null} for none
 * @param reminder the single reminder to a participant who does not reply to a prompt
 * @param checkIn the message sent if the model cannot ask how a prompt from the conversation went
 * @param followUp the second such message
 * @param vary what may change from one prompt to the next
 * @param time the profile field that holds, in the participant's words, when the prompt suits them;
 *     {@code null} if none does
 */
public record DailyPrompt(
    LocalTime at,
    int most,
    @Nullable Duration askAfter,
    String question,
    String done,
    String notDone,
    @Nullable String feedbackState,
    @Nullable Intensity intensity,
    String reminder,
    String checkIn,
    String followUp,
    Vary vary,
    @Nullable ProfileField time) {

  /** The placeholder in the question for the current value. */
  static final String VALUE = "{{value}}";

  /** The placeholder in the question for the other values. */
  static final String OTHERS = "{{others}}";

  DailyPrompt at(LocalTime usual) {
    return new DailyPrompt(
        usual,
        most,
        askAfter,
        question,
        done,
        notDone,
        feedbackState,
        intensity,
        reminder,
        checkIn,
        followUp,
        vary,
        time);
  }

  /** What may change from one daily prompt to the next. */
  public enum Vary {
    /** Nothing: the same moment, action and words every day. */
    CONSTANT,
    /** The words, but not what is done. */
    WORDING,
    /** What is done, within the kind of habit. */
    ACTION;

    /** Returns the name in a flow file, such as {@code wording}. */
    String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    static Optional<Vary> of(String word) {
      return Arrays.stream(values()).filter(vary -> vary.word().equals(word)).findFirst();
    }

    static List<String> words() {
      return Arrays.stream(values()).map(Vary::word).toList();
    }
  }

  /**
   * The question of how demanding the habit should be.
   *
   * @param field the profile field that holds the value, a choice with a default
   * @param question with {@code {{value}}} and {@code {{others}}}
   * @param every how often it is asked at most, unless the participant chose otherwise
   * @param chosen the profile field in which a participant chose how often, a choice of words for
   *     {@link Every}; {@code null} if they cannot
   * @param words what people read and reply for a value, if it is not the value itself
   * @param or what stands between the other values
   */
  public record Intensity(
      ProfileField field,
      String question,
      Every every,
      @Nullable ProfileField chosen,
      Map<String, String> words,
      String or) {

    /** The usual word between values. */
    static final String OR = "or";

    /** How often the question is asked. */
    public enum Every {
      /** With the first prompt of each day. */
      DAY,
      /**
       * Once in seven days, or earlier after two prompts in a row that were not done; never before
       * anything is known about a prompt.
       */
      WEEK,
      /** Not at all. */
      NEVER;

      String word() {
        return name().toLowerCase(Locale.ROOT);
      }

      /** Returns the frequency of this word, or empty if there is none. */
      public static Optional<Every> of(String word) {
        return Arrays.stream(values()).filter(every -> every.word().equals(word)).findFirst();
      }

      static List<String> all() {
        return Arrays.stream(values()).map(Every::word).toList();
      }
    }

    public Intensity {
      words = Map.copyOf(words);
    }

    /** Creates a question whose values are said as they are. */
    public Intensity(ProfileField field, String question, Every every) {
      this(field, question, every, null, Map.of(), OR);
    }

    /** Returns what people read and reply for a value. */
    public String word(String value) {
      return words.getOrDefault(value, value);
    }

    /** Returns the question for the current value; it offers only the other values. */
    public String question(String value) {
      var others =
          field.values().stream().filter(other -> !other.equals(value)).map(this::word).toList();
      var texts = Map.of(VALUE, word(value), OTHERS, String.join(" " + or + " ", others));
      var asked = question;
      for (var text : texts.entrySet()) {
        asked = asked.replace(text.getKey(), text.getValue());
      }
      return asked;
    }
  }
}
