package org.habitline.tools;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Reads the arguments of one tool call. The first error is kept as the {@link #refusal}, which a
 * tool checks after reading everything and before deciding anything.
 *
 * <p>{@code null} means "not given", because strict schemas send it for every unused argument; so
 * does a blank text.
 */
final class Arguments {

  private static final int LONGEST_SHOWN = 40;

  private final ObjectNode given;
  private final List<String> blank = new ArrayList<>();
  private @Nullable ToolOutcome refusal;

  /**
   * Creates a reader.
   *
   * @param shown the arguments of the schema, listed in the refusal of an unknown one
   * @param alsoAccepted other names that are read too
   */
  Arguments(ObjectNode given, Collection<String> shown, Collection<String> alsoAccepted) {
    this.given = given;
    given
        .fieldNames()
        .forEachRemaining(name -> {
          if (!shown.contains(name) && !alsoAccepted.contains(name)) {
            refuse(shown(name), "There is no argument of this name.", shown);
          }
        });
  }

  /** Returns a word from the model, cleaned and shortened so that it can be quoted back to it. */
  static String shown(String word) {
    return Words.atMost(Words.cleaned(word), LONGEST_SHOWN);
  }

  /** Returns the first error so far, if there is one. */
  Optional<ToolOutcome> refusal() {
    return Optional.ofNullable(refusal);
  }

  /** Returns the names of text arguments that were given but blank. */
  List<String> blank() {
    return List.copyOf(blank);
  }

  void refuse(String field, String message, Collection<String> validValues) {
    if (refusal == null) {
      refusal = ToolOutcome.error(field, message, validValues);
    }
  }

  boolean has(String name) {
    return given.hasNonNull(name);
  }

  /** Refuses arguments that have a value but are not accepted here. */
  void only(Collection<String> accepted, String message) {
    given
        .properties()
        .forEach(argument -> {
          var value = argument.getValue();
          var blank = value.isTextual() && Words.cleaned(value.textValue()).isEmpty();
          if (has(argument.getKey()) && !blank && !accepted.contains(argument.getKey())) {
            refuse(argument.getKey(), message, List.of());
          }
        });
  }

  /** Returns a cleaned text of at most {@code maxLength} characters. */
  Optional<String> text(String name, int maxLength) {
    var text = rawText(name);
    if (text.isPresent() && Words.length(text.get()) > maxLength) {
      refuse(
          name,
          "The text has %d characters; at most %d are accepted."
              .formatted(Words.length(text.get()), maxLength),
          List.of());
      return Optional.empty();
    }
    return text;
  }

  /** Returns a cleaned text of 1 to {@code maxLength} characters; refuses the call without one. */
  Optional<String> requiredText(String name, int maxLength) {
    var text = text(name, maxLength);
    if (text.isEmpty()) {
      refuse(
          name,
          "This argument is required: a text of 1 to %d characters.".formatted(maxLength),
          List.of());
    }
    return text;
  }

  /** Returns one of {@code values}, as it is written there; the case of the argument is ignored. */
  Optional<String> choice(String name, Collection<String> values) {
    var text = rawText(name);
    var chosen = text.flatMap(t -> values.stream().filter(t::equalsIgnoreCase).findFirst());
    if (text.isPresent() && chosen.isEmpty()) {
      refuse(name, "This is not one of the valid values.", values);
    }
    return chosen;
  }

  /** Returns one of {@code values}; refuses the call if the argument is missing. */
  Optional<String> requiredChoice(String name, Collection<String> values) {
    var chosen = choice(name, values);
    if (chosen.isEmpty()) {
      refuse(name, "This argument is required.", values);
    }
    return chosen;
  }

  OptionalDouble number(String name) {
    if (!has(name)) {
      return OptionalDouble.empty();
    }
    var value = given.path(name);
    if (!value.isNumber()) {
      refuse(name, "A number is expected, not %s.".formatted(kind(value)), List.of());
      return OptionalDouble.empty();
    }
    return OptionalDouble.of(value.doubleValue());
  }

  /** Returns a whole number; 3.0 counts as one. */
  OptionalLong wholeNumber(String name) {
    if (!has(name)) {
      return OptionalLong.empty();
    }
    var value = given.path(name);
    if (!value.isNumber()) {
      refuse(name, "A whole number is expected, not %s.".formatted(kind(value)), List.of());
      return OptionalLong.empty();
    }
    if (!value.canConvertToExactIntegral() || !value.canConvertToLong()) {
      refuse(name, "A whole number of at most 18 digits is expected.", List.of());
      return OptionalLong.empty();
    }
    return OptionalLong.of(value.longValue());
  }

  /** Returns a list of words; empty if not given. */
  List<String> words(String name) {
    if (!has(name)) {
      return List.of();
    }
    var value = given.path(name);
    if (!value.isArray()) {
      refuse(name, "A list of words is expected, not %s.".formatted(kind(value)), List.of());
      return List.of();
    }
    var words = new ArrayList<String>();
    for (var word : value) {
      if (!word.isTextual()) {
        refuse(
            name, "The list holds %s; only words are accepted.".formatted(kind(word)), List.of());
        return List.of();
      }
      words.add(Words.cleaned(word.textValue()));
    }
    return words;
  }

  private Optional<String> rawText(String name) {
    if (!has(name)) {
      return Optional.empty();
    }
    var value = given.path(name);
    if (!value.isTextual()) {
      refuse(name, "A text is expected, not %s.".formatted(kind(value)), List.of());
      return Optional.empty();
    }
    var text = Words.cleaned(value.textValue());
    if (text.isEmpty()) {
      blank.add(name);
      return Optional.empty();
    }
    return Optional.of(text);
  }

  private static String kind(JsonNode value) {
    return switch (value.getNodeType()) {
      case ARRAY -> "a list";
      case OBJECT -> "an object";
      case BOOLEAN -> "true or false";
      case NUMBER -> "a number";
      case STRING -> "a text";
      case NULL -> "null";
      case BINARY, MISSING, POJO -> "something else";
    };
  }
}
