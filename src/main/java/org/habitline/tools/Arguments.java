package org.habitline.tools;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.math.MathContext;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.habitline.flows.FieldType;
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

  /** Larger than any bound that a flow can set. */
  private static final double LARGEST = 1e12;

  private static final MathContext PRECISION = new MathContext(15);

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

  /** Returns the names of text and list arguments that were given but blank. */
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
      refuse(
          name,
          "This is not one of the valid values. Nothing of this call was carried out.",
          values);
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

  /**
   * Returns a value of the type as it is stored; refuses a wrong type and a value out of bounds.
   */
  Optional<JsonNode> value(String name, FieldType type) {
    return switch (type) {
      case FieldType.Text text -> ofLength(name, text).map(TextNode::valueOf);
      case FieldType.Choice choice -> choice(name, choice.values()).map(TextNode::valueOf);
      case FieldType.Truth truth -> truth(name);
      case FieldType.WholeNumber whole -> wholeNumber(name, whole);
      case FieldType.Decimal decimal -> decimal(name, decimal);
      case FieldType.Date date -> date(name, date);
      case FieldType.Texts texts -> texts(name, texts);
      case FieldType.Entries(_, var shortest, var longest) ->
          ofLength(name, new FieldType.Text(shortest, longest)).map(TextNode::valueOf);
    };
  }

  private Optional<String> ofLength(String name, FieldType.Text type) {
    var text = text(name, type.maxLength());
    if (text.isPresent() && Words.length(text.get()) < type.minLength()) {
      refuse(
          name,
          "The text has %d characters; at least %d are expected."
              .formatted(Words.length(text.get()), type.minLength()),
          List.of());
      return Optional.empty();
    }
    return text;
  }

  /** Reads true or false; the words "true" and "false" are taken as such. */
  private Optional<JsonNode> truth(String name) {
    if (!has(name)) {
      return Optional.empty();
    }
    var value = given.path(name);
    if (value.isBoolean()) {
      return Optional.of(value);
    }
    var word = value.isTextual() ? Words.cleaned(value.textValue()) : "";
    if (word.equalsIgnoreCase("true") || word.equalsIgnoreCase("false")) {
      return Optional.of(BooleanNode.valueOf(word.equalsIgnoreCase("true")));
    }
    refuse(
        name,
        "True or false is expected, not %s.".formatted(kind(value)),
        List.of("true", "false"));
    return Optional.empty();
  }

  private Optional<JsonNode> wholeNumber(String name, FieldType.WholeNumber type) {
    if (!has(name)) {
      return Optional.empty();
    }
    var value = given.path(name);
    if (value.isNumber()
        && (value.canConvertToExactIntegral() && value.canConvertToInt())
        && value.intValue() >= type.minimum()
        && value.intValue() <= type.maximum()) {
      return Optional.of(IntNode.valueOf(value.intValue()));
    }
    refuse(
        name,
        "A whole number from %d to %d is expected, not %s."
            .formatted(type.minimum(), type.maximum(), number(value)),
        List.of());
    return Optional.empty();
  }

  private Optional<JsonNode> decimal(String name, FieldType.Decimal type) {
    if (!has(name)) {
      return Optional.empty();
    }
    var value = given.path(name);
    // A bound keeps huge exponents from being written out; not-a-number has no decimal form.
    if (value.isNumber() && Math.abs(value.doubleValue()) <= LARGEST) {
      var number = value.decimalValue();
      if (number.compareTo(type.minimum()) >= 0 && number.compareTo(type.maximum()) <= 0) {
        return Optional.of(FieldType.Decimal.stored(number.round(PRECISION)));
      }
    }
    refuse(
        name,
        "A number from %s to %s is expected, not %s."
            .formatted(
                type.minimum().toPlainString(), type.maximum().toPlainString(), number(value)),
        List.of());
    return Optional.empty();
  }

  private static String number(JsonNode value) {
    return value.isNumber() ? shown(value.asText()) : kind(value);
  }

  private Optional<JsonNode> date(String name, FieldType.Date type) {
    var text = rawText(name);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    try {
      var date = LocalDate.parse(text.get());
      if ((type.minimum() == null || !date.isBefore(type.minimum()))
          && (type.maximum() == null || !date.isAfter(type.maximum()))) {
        return Optional.of(TextNode.valueOf(date.toString()));
      }
    } catch (DateTimeParseException e) {
      // Refused below, with the same words as a date out of bounds.
    }
    refuse(name, "A date such as 2026-11-21%s is expected.".formatted(between(type)), List.of());
    return Optional.empty();
  }

  private static String between(FieldType.Date type) {
    return (type.minimum() == null ? "" : ", not before " + type.minimum())
        + (type.maximum() == null ? "" : ", not after " + type.maximum());
  }

  /**
   * Reads a list of texts without blanks and repeats. An empty list is a value, a list of blanks is
   * none.
   */
  private Optional<JsonNode> texts(String name, FieldType.Texts type) {
    if (!has(name)) {
      return Optional.empty();
    }
    var kept = JsonNodeFactory.instance.arrayNode();
    var words = words(name);
    words.stream().filter(word -> !word.isEmpty()).distinct().forEach(kept::add);
    if (kept.isEmpty() && !words.isEmpty()) {
      blank.add(name);
      return Optional.empty();
    }
    if (kept.size() > type.maxItems()) {
      refuse(
          name,
          "The list has %d items; at most %d are accepted.".formatted(kept.size(), type.maxItems()),
          List.of());
    }
    for (var word : kept) {
      if (Words.length(word.textValue()) > type.maxLength()) {
        refuse(
            name,
            "An item has %d characters; at most %d are accepted."
                .formatted(Words.length(word.textValue()), type.maxLength()),
            List.of());
      }
    }
    return Optional.of(kept);
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
