package org.habitline.flows;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A mapping inside a flow file, with the way to it: every complaint says file, key and expectation.
 */
record Section(String file, String path, JsonNode node) {

  Section {
    if (!node.isObject()) {
      throw new BrokenFlow(file, path, "expected a mapping of keys to values, found " + kind(node));
    }
  }

  BrokenFlow broken(String key, String expected) {
    return new BrokenFlow(file, at(key), expected);
  }

  private String at(String key) {
    if (key.isEmpty()) {
      return path;
    }
    return path.isEmpty() ? key : path + "." + key;
  }

  /** A typo in a key must not be silent. */
  Section only(String... keys) {
    var known = new TreeSet<>(Set.of(keys));
    for (var name : keys()) {
      if (!known.contains(name)) {
        throw broken(name, "unknown key; expected one of " + String.join(", ", known));
      }
    }
    return this;
  }

  List<String> keys() {
    var names = new ArrayList<String>();
    node.fieldNames().forEachRemaining(names::add);
    return names;
  }

  private Optional<JsonNode> value(String key) {
    return Optional.ofNullable(node.get(key)).filter(value -> !value.isNull());
  }

  private JsonNode required(String key, String expected) {
    return value(key).orElseThrow(() -> broken(key, "missing; expected " + expected));
  }

  Section section(String key) {
    return new Section(file, at(key), required(key, "a mapping of keys to values"));
  }

  Optional<Section> optionalSection(String key) {
    return value(key).map(found -> new Section(file, at(key), found));
  }

  List<Section> sections() {
    return keys().stream().map(this::section).toList();
  }

  /** The last key of the way to this section. */
  String name() {
    return path.substring(path.lastIndexOf('.') + 1);
  }

  String text(String key) {
    return text(key, required(key, "a text"));
  }

  @Nullable String optionalText(String key) {
    return value(key).map(found -> text(key, found)).orElse(null);
  }

  private String text(String key, JsonNode found) {
    if (!found.isTextual() || found.asText().isBlank()) {
      throw broken(key, "expected a text, found " + kind(found));
    }
    return found.asText().strip();
  }

  List<String> texts(String key, boolean mayBeMissing) {
    var found = mayBeMissing ? value(key) : Optional.of(required(key, "a list of texts"));
    if (found.isEmpty()) {
      return List.of();
    }
    if (!found.get().isArray()) {
      throw broken(key, "expected a list of texts, found " + kind(found.get()));
    }
    var texts = new ArrayList<String>();
    for (var item : found.get()) {
      texts.add(text(key + "[" + texts.size() + "]", item));
    }
    return List.copyOf(texts);
  }

  int integer(String key, int least, int most, int otherwise) {
    var found = value(key);
    if (found.isEmpty()) {
      return otherwise;
    }
    var number = found.get();
    if (!number.isInt() || number.asInt() < least || number.asInt() > most) {
      throw broken(
          key,
          "expected a whole number from " + least + " to " + most + ", found " + shown(number));
    }
    return number.asInt();
  }

  @Nullable Integer optionalInteger(String key, int least, int most) {
    return value(key).isEmpty() ? null : Integer.valueOf(integer(key, least, most, least));
  }

  @Nullable Double optionalNumber(String key, double least, double most) {
    var found = value(key);
    if (found.isEmpty()) {
      return null;
    }
    var number = found.get();
    if (!number.isNumber() || number.asDouble() < least || number.asDouble() > most) {
      throw broken(
          key, "expected a number from " + least + " to " + most + ", found " + shown(number));
    }
    return number.asDouble();
  }

  boolean flag(String key, boolean otherwise) {
    var found = value(key);
    if (found.isPresent() && !found.get().isBoolean()) {
      throw broken(key, "expected true or false, found " + shown(found.get()));
    }
    return found.map(JsonNode::asBoolean).orElse(otherwise);
  }

  private static String shown(JsonNode node) {
    return node.isValueNode() ? "'" + node.asText() + "'" : kind(node);
  }

  private static String kind(JsonNode node) {
    return switch (node.getNodeType()) {
      case OBJECT -> "a mapping";
      case ARRAY -> "a list";
      case STRING -> node.asText().isBlank() ? "a blank text" : "a text";
      case NUMBER -> "a number";
      case BOOLEAN -> "true or false";
      default -> "nothing";
    };
  }
}
