package org.habitline.safety.check;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A labelled text. Only {@link ExampleFile} makes one.
 *
 * @param kind what the text is an example of; free words, by which the report is grouped
 */
public record Example(String id, String language, String text, Label label, String kind) {

  /** What careful people would do about the text. */
  public enum Label {
    /** A person should look now. */
    CRISIS,
    /** Staff should see it within a day; nobody may be woken. */
    WATCH,
    /** Ordinary. */
    NONE;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    static Optional<Label> of(String word) {
      return Stream.of(values()).filter(label -> label.word().equals(word)).findFirst();
    }
  }

  /** Leaves out the text, which may be a person's own. */
  @Override
  public String toString() {
    return "Example[" + id + "]";
  }
}
