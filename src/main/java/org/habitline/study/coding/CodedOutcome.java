package org.habitline.study.coding;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What came of a daily prompt as somebody read it in the participant's texts. */
public enum CodedOutcome {
  DONE,
  PARTLY,
  NOT_DONE,
  /** The texts do not say. */
  UNCLEAR,
  /** There is no text, so nobody is asked. */
  NO_ANSWER;

  /** What a text can be coded as, in the order of the tables. */
  public static final List<CodedOutcome> OF_TEXTS = List.of(DONE, PARTLY, NOT_DONE, UNCLEAR);

  /** Returns the code of this word for a text, or empty if there is none. */
  public static Optional<CodedOutcome> ofText(String word) {
    return OF_TEXTS.stream().filter(it -> it.word().equals(word)).findFirst();
  }

  /** Returns the words for a text, in the order of the tables. */
  public static List<String> wordsOfTexts() {
    return OF_TEXTS.stream().map(CodedOutcome::word).toList();
  }

  /** Returns the word that the model, the database and the API use, in lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the words for the pages. */
  public String title() {
    return word().replace('_', ' ');
  }
}
