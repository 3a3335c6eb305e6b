package org.habitline.rehearsal.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.math.BigDecimal;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.habitline.Patterns;

/**
 * A field of any flow that the script can fill in, as the schema of the tool that saves it declares
 * it.
 *
 * @param about the first sentence of its description, or its name
 * @param type its JSON type: string, boolean, integer, number or array
 * @param values the accepted values of a choice, else empty
 */
record Blank(String name, String about, String type, List<String> values) {

  private static final Pattern NUMBER = Pattern.compile("-?\\d{1,12}(?:[.,]\\d{1,6})?");
  private static final Pattern YES =
      Clause.rule("^\\W*(?:yes|yeah|yep|sure|of course|true|it is|i do|i have|done)\\b");
  private static final Pattern NO =
      Clause.rule("^\\W*(?:no|nope|not|false|never|none|i don'?t|i haven'?t)\\b");
  private static final Pattern NOTHING =
      Clause.rule("^\\W*(?:none|nothing|no|nope|not any|not really)\\W*$");
  private static final Pattern BETWEEN_ITEMS =
      Pattern.compile(
          " ?(?:[,;]|" + Patterns.WORD_BOUNDARY + "and" + Patterns.WORD_BOUNDARY + ") ?");
  private static final Pattern UNIT = Pattern.compile(" (?:cm|m|km|kg|g|lb|minutes|hours)$");
  private static final Pattern BLANKS = Pattern.compile("\\s+");

  /** Reads one property of a tool's schema. */
  static Blank of(String name, JsonNode schema) {
    var types = schema.path("type");
    var type = types.isArray() ? types.path(0).asText() : types.asText();
    var description = schema.path("description").asText();
    var values =
        StreamSupport.stream(schema.path("enum").spliterator(), false)
            .filter(JsonNode::isTextual)
            .map(JsonNode::textValue)
            .toList();
    var about = Questions.firstSentence(description);
    return new Blank(name, about.isBlank() ? spoken(name) + "." : about, type, values);
  }

  /** Returns a field of which only the name is known; the tool that saves it knows its type. */
  static Blank ofText(String name) {
    return new Blank(name, spoken(name) + ".", "string", List.of());
  }

  static JsonNode text(String words) {
    return TextNode.valueOf(words);
  }

  /** Returns the question for this field, which no other field of the module has. */
  String question() {
    return Questions.of(about)
        + switch (type) {
          case "boolean" -> " Yes or no?";
          case "array" -> " Name them, or say none.";
          default -> values.isEmpty() ? "" : " One of: " + spoken(String.join(", ", values)) + ".";
        };
  }

  /** Returns whether a message of the script asks for this field. */
  boolean askedIn(String said) {
    return said.contains(question());
  }

  /** Returns the field's name as people say it, such as {@code fitness level}. */
  String words() {
    return spoken(name);
  }

  /** Returns the name without a unit at its end, such as {@code height} for {@code height_cm}. */
  String wordsWithoutUnit() {
    return UNIT.matcher(words()).replaceFirst("");
  }

  private static String spoken(String name) {
    return Questions.spoken(name);
  }

  /** Returns what a text says about this field, or empty if it cannot be understood so. */
  Optional<JsonNode> in(String text) {
    if (!values.isEmpty()) {
      return chosen(text);
    }
    return switch (type) {
      case "boolean" ->
          YES.matcher(text).find()
              ? Optional.of(BooleanNode.TRUE)
              : NO.matcher(text).find() ? Optional.of(BooleanNode.FALSE) : Optional.empty();
      case "integer" -> number(text).filter(JsonNode::isIntegralNumber);
      case "number" -> number(text);
      case "array" -> Optional.of(items(text));
      default -> Optional.of(plain(text)).filter(it -> !it.isEmpty()).map(TextNode::valueOf);
    };
  }

  /** Returns the longest value that the text contains, because one may be part of another. */
  private Optional<JsonNode> chosen(String text) {
    var said = text.toLowerCase(Locale.ROOT);
    return values.stream()
        .sorted(Comparator.comparingInt(String::length).reversed())
        .filter(value -> {
          var word = value.toLowerCase(Locale.ROOT);
          return said.contains(word) || said.contains(word.replace('_', ' '));
        })
        .findFirst()
        .map(TextNode::valueOf);
  }

  private static Optional<JsonNode> number(String text) {
    var found = NUMBER.matcher(text);
    if (!found.find()) {
      return Optional.empty();
    }
    var number = new BigDecimal(found.group().replace(',', '.'));
    return Optional.of(
        number.scale() > 0
            ? DecimalNode.valueOf(number)
            : LongNode.valueOf(number.longValueExact()));
  }

  private static JsonNode items(String text) {
    var list = JsonNodeFactory.instance.arrayNode();
    if (!NOTHING.matcher(text).matches()) {
      Stream.of(BETWEEN_ITEMS.split(plain(text)))
          .filter(item -> !item.isBlank())
          .forEach(list::add);
    }
    return list;
  }

  private static String plain(String text) {
    return BLANKS.matcher(text).replaceAll(" ").strip();
  }
}
