package org.habitline.rehearsal.model;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.habitline.flows.ProfileField;

/** The words with which the script asks for a field of a flow. */
public final class Questions {

  private static final String ASKS = "Please tell me: ";
  private static final Map<String, String> TO_THEM =
      Map.of(
          "they", "you",
          "They", "You",
          "them", "you",
          "their", "your",
          "Their", "Your",
          "themselves", "yourself");
  private static final Pattern ABOUT_THEM =
      Pattern.compile("(?<!\\w)(?:" + String.join("|", TO_THEM.keySet()) + ")(?!\\w)");
  private static final Pattern FIRST_SENTENCE = Pattern.compile("^(.+?[.?!])(?:\\s.*)?$");

  private Questions() {}

  /** Returns the field that a message of the script asks for, or empty if it asks for none. */
  public static Optional<ProfileField> askedIn(String message, List<ProfileField> fields) {
    return message.contains(ASKS)
        ? fields.stream()
            .filter(field ->
                message.contains(of(field.description()))
                    || message.contains(of(spoken(field.name()) + ".")))
            .max(Comparator.comparingInt(field -> field.description().length()))
        : Optional.empty();
  }

  /**
   * Returns the question for what a description says in its first sentence. A description is
   * written for models, about the participant; the question is put to them.
   */
  static String of(String description) {
    return ASKS
        + ABOUT_THEM
            .matcher(firstSentence(description))
            .replaceAll(found -> Objects.requireNonNull(TO_THEM.get(found.group())));
  }

  static String firstSentence(String description) {
    var first = FIRST_SENTENCE.matcher(description);
    return first.matches() ? first.group(1) : description;
  }

  static String spoken(String name) {
    return name.replace('_', ' ');
  }
}
