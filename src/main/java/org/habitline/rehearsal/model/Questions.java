package org.habitline.rehearsal.model;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.habitline.flows.ProfileField;

/** The words with which the script asks for a field of a flow. */
public final class Questions {

  private static final String ASKS = "Please tell me: ";
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

  /** Returns the question for what a description says in its first sentence. */
  static String of(String description) {
    return ASKS + firstSentence(description);
  }

  static String firstSentence(String description) {
    var first = FIRST_SENTENCE.matcher(description);
    return first.matches() ? first.group(1) : description;
  }

  static String spoken(String name) {
    return name.replace('_', ' ');
  }
}
