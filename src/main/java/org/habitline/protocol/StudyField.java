package org.habitline.protocol;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.habitline.config.Section;

/**
 * A field that the study keeps of each participant, such as the site that recruited them.
 *
 * @param name a lower-case word, by which files and scripts name it
 * @param label how pages name it
 * @param choices the accepted values of a choice, in the order of the file; else empty
 * @param required whether an enrolment needs it
 * @param description what it means, for people who enter it
 */
public record StudyField(
    String name,
    String label,
    Type type,
    List<String> choices,
    boolean required,
    Optional<String> description) {

  /** Longest value that is stored. */
  public static final int LONGEST = 1000;

  private static final int LONGEST_LABEL = 100;
  private static final int LONGEST_CHOICE = 200;
  private static final int LONGEST_DESCRIPTION = 500;

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,39}");
  private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,30}(\\.[0-9]{1,30})?");

  /** What a field accepts. */
  public enum Type {
    /** Any text on one line. */
    TEXT,
    /** A decimal number, stored as it was written. */
    NUMBER,
    /** A day of the calendar, such as 2026-03-31. */
    DATE,
    /** One of the field's choices. */
    CHOICE;

    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What came of a value: it is accepted as it is to be stored, or it is refused. */
  public sealed interface Checked {
    /** The value as it is to be stored. */
    record Accepted(String value) implements Checked {}

    /** What is accepted instead: the rest of a sentence that names the field. */
    record Refused(String expected) implements Checked {}
  }

  /** Returns whether only declared values are accepted. */
  public boolean isChoice() {
    return type == Type.CHOICE;
  }

  static StudyField read(Section field) {
    field.only("name", "label", "type", "choices", "required", "description");
    var name = field.text("name", LONGEST_LABEL);
    if (!name.isEmpty() && !NAME.matcher(name).matches()) {
      field.refuse(
          "name",
          "expected a lower-case word of at most 40 letters, digits and underscores, found '"
              + name
              + "'");
    }
    var label = field.optionalText("label", LONGEST_LABEL);
    var type = type(field);
    return new StudyField(
        name,
        label == null ? name.replace('_', ' ') : label,
        type,
        choices(field, type),
        field.flag("required", false),
        Optional.ofNullable(field.optionalText("description", LONGEST_DESCRIPTION)));
  }

  private static Type type(Section field) {
    var word = field.optionalText("type", LONGEST_LABEL);
    for (var type : Type.values()) {
      if (type.word().equals(word)) {
        return type;
      }
    }
    if (word != null || !field.has("type")) {
      field.refuse(
          "type",
          (word == null ? "missing; expected" : "expected")
              + " text, number, date or choice"
              + (word == null ? "" : ", found '" + word + "'"));
    }
    return Type.TEXT;
  }

  private static List<String> choices(Section field, Type type) {
    var choices = field.optionalTexts("choices", LONGEST_CHOICE);
    if (type != Type.CHOICE && field.has("choices")) {
      field.refuse("choices", "only a field of the type choice has choices; remove the line");
    } else if (type == Type.CHOICE && !field.has("choices")) {
      field.refuse("choices", "missing; expected a list such as [north, south]");
    } else if (type == Type.CHOICE && choices.isEmpty()) {
      field.refuse("choices", "expected at least one choice");
    }
    return choices;
  }

  /**
   * Checks a value.
   *
   * @param value not blank, without surrounding blanks
   */
  public Checked check(String value) {
    return switch (type) {
      case TEXT ->
          value.length() <= LONGEST
              ? new Checked.Accepted(value)
              : new Checked.Refused("too long; at most " + LONGEST + " characters are accepted.");
      case NUMBER ->
          NUMBER.matcher(value).matches()
              ? new Checked.Accepted(value)
              : new Checked.Refused("expected a number such as 12 or 0.5.");
      case DATE ->
          isDate(value)
              ? new Checked.Accepted(value)
              : new Checked.Refused("expected a date such as 2026-03-31.");
      case CHOICE ->
          choices.stream()
              .filter(value::equalsIgnoreCase)
              .findFirst()
              .<Checked>map(Checked.Accepted::new)
              .orElseGet(
                  () -> new Checked.Refused("expected one of " + String.join(", ", choices) + "."));
    };
  }

  private static boolean isDate(String value) {
    try {
      return LocalDate.parse(value).toString().equals(value);
    } catch (DateTimeException e) {
      return false;
    }
  }

  /** Returns what the field accepts, in words. */
  public String accepts() {
    return (type == Type.CHOICE ? "one of " + String.join(", ", choices) : type.word())
        + (required ? ", needed at enrolment" : "");
  }
}
