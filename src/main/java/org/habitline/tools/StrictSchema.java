package org.habitline.tools;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collection;

/**
 * Builds the JSON schema of a tool's arguments under the rules that OpenAI calls strict: no other
 * properties, every property required, null for an argument that is left out. Uses only keywords
 * that every compatible server accepts; the descriptions state lengths and ranges, and the tool
 * checks them.
 */
final class StrictSchema {

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
    property(name, "%s At most %d characters.".formatted(description, maxLength))
        .put("type", "string");
    return this;
  }

  StrictSchema wholeNumber(String name, String description) {
    property(name, description).put("type", "integer");
    return this;
  }

  StrictSchema optionalText(String name, String description, int maxLength) {
    optional(name, "%s At most %d characters.".formatted(description, maxLength), "string");
    return this;
  }

  StrictSchema optionalNumber(String name, String description) {
    optional(name, description, "number");
    return this;
  }

  StrictSchema optionalWords(String name, String description, Collection<String> values) {
    var items = optional(name, description, "array").putObject("items").put("type", "string");
    values.forEach(items.putArray("enum")::add);
    return this;
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
