package org.habitline.tools;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collection;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.habitline.flows.FieldType;

/**
 * Builds the JSON schema of a tool's arguments under the rules that OpenAI calls strict: no other
 * properties, every property required, null for an argument that is left out. Uses only keywords
 * that every compatible server accepts; the descriptions state ranges and short lengths, and the
 * tool checks them all.
 */
final class StrictSchema {

  /**
   * A length from here on is not stated: models write less, every statement costs five tokens in
   * every request, and the tool's error states it.
   */
  private static final int LONG_ENOUGH = 200;

  private final ObjectNode schema = JsonNodeFactory.instance.objectNode();
  private final ObjectNode properties;

  StrictSchema() {
    schema.put("type", "object");
    properties = schema.putObject("properties");
  }

  StrictSchema choice(String name, String description, Collection<String> values) {
    var property = property(name, description).put("type", "string");
    values.forEach(property.putArray("enum")::add);
    return this;
  }

  StrictSchema optionalChoice(String name, String description, Collection<String> values) {
    var accepted = optional(name, description, "string").putArray("enum");
    values.forEach(accepted::add);
    accepted.addNull();
    return this;
  }

  StrictSchema text(String name, String description, int maxLength) {
    property(name, described(description, 1, maxLength)).put("type", "string");
    return this;
  }

  StrictSchema wholeNumber(String name, String description) {
    property(name, description).put("type", "integer");
    return this;
  }

  /** Adds a text whose form, as described, leaves no question about its length. */
  StrictSchema optionalText(String name, String description) {
    optional(name, description, "string");
    return this;
  }

  StrictSchema optionalText(String name, String description, int maxLength) {
    optional(name, described(description, 1, maxLength), "string");
    return this;
  }

  StrictSchema optionalNumber(String name, String description) {
    optional(name, description, "number");
    return this;
  }

  /** Adds a list of words that the tool knows; its error lists them. */
  StrictSchema optionalNames(String name, String description) {
    optional(name, description, "array").putObject("items").put("type", "string");
    return this;
  }

  StrictSchema optionalWords(String name, String description, Collection<String> values) {
    var items = optional(name, description, "array").putObject("items").put("type", "string");
    values.forEach(items.putArray("enum")::add);
    return this;
  }

  /** Adds an argument for a value of this type; the description states the bounds. */
  StrictSchema optional(String name, String description, FieldType type) {
    switch (type) {
      case FieldType.Text text ->
          optional(name, described(description, text.minLength(), text.maxLength()), "string");
      case FieldType.Entries entries ->
          optional(
              name, described(description, entries.minLength(), entries.maxLength()), "string");
      case FieldType.Choice choice -> optionalChoice(name, description, choice.values());
      case FieldType.Truth truth -> optional(name, description, "boolean");
      case FieldType.WholeNumber whole ->
          optional(
              name,
              "%s A whole number from %d to %d."
                  .formatted(description, whole.minimum(), whole.maximum()),
              "integer");
      case FieldType.Decimal decimal ->
          optional(
              name,
              "%s From %s to %s."
                  .formatted(
                      description,
                      decimal.minimum().toPlainString(),
                      decimal.maximum().toPlainString()),
              "number");
      case FieldType.Date date ->
          optional(name, "%s A date such as 2026-11-21.".formatted(description), "string");
      case FieldType.Texts texts ->
          optional(
                  name,
                  "%s At most %d items of at most %d characters; an empty list means none."
                      .formatted(description, texts.maxItems(), texts.maxLength()),
                  "array")
              .putObject("items")
              .put("type", "string");
    }
    return this;
  }

  /** Adds an argument for a value of any of these types. */
  StrictSchema anyOf(String name, String description, Collection<FieldType> types) {
    var property = property(name, description);
    var words =
        types.stream().map(StrictSchema::word).collect(Collectors.toCollection(TreeSet::new));
    if (words.size() == 1) {
      property.put("type", words.first());
    } else {
      words.forEach(property.putArray("type")::add);
    }
    if (words.contains("array")) {
      property.putObject("items").put("type", "string");
    }
    return this;
  }

  private static String described(String description, int minLength, int maxLength) {
    if (minLength > 1) {
      return "%s %d to %d characters.".formatted(description, minLength, maxLength);
    }
    return maxLength < LONG_ENOUGH
        ? "%s At most %d characters.".formatted(description, maxLength)
        : description;
  }

  private static String word(FieldType type) {
    return switch (type) {
      case FieldType.Text text -> "string";
      case FieldType.Entries entries -> "string";
      case FieldType.Choice choice -> "string";
      case FieldType.Date date -> "string";
      case FieldType.Truth truth -> "boolean";
      case FieldType.WholeNumber whole -> "integer";
      case FieldType.Decimal decimal -> "number";
      case FieldType.Texts texts -> "array";
    };
  }

  ObjectNode done() {
    var required = schema.putArray("required");
    properties.fieldNames().forEachRemaining(required::add);
    schema.put("additionalProperties", false);
    return schema;
  }

  private ObjectNode optional(String name, String description, String type) {
    var property = property(name, description);
    property.putArray("type").add(type).add("null");
    return property;
  }

  private ObjectNode property(String name, String description) {
    return properties.putObject(name).put("description", description);
  }
}
