package org.habitline.timers;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What came of a daily prompt, as the participant said. Nobody said yet if there is none. */
public enum PromptOutcome {
  /** They did it. Only this counts as a success. */
  DONE,
  /** They did some of it. */
  PARTLY,
  /** They did not do it. */
  NOT_DONE;

  /** Returns all words, in the order of the constants. */
  public static List<String> words() {
    return Arrays.stream(values()).map(PromptOutcome::word).toList();
  }

  /** Returns the outcome of this word, or empty if there is none. */
  public static Optional<PromptOutcome> of(String word) {
    return Arrays.stream(values()).filter(it -> it.word().equals(word)).findFirst();
  }

  /** Returns the word that the model, the database and the API use, in lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
