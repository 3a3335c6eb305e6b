package org.habitline.flows;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * A mapping in a flow file. It knows its key path, so that every error names file, key, line and
 * what was expected. A key without a value counts as absent.
 */
final class Section {

  private final String file;
  private final String path;
  private final Node node;
  private final Map<String, Node> values;

  Section(String file, String path, Node node) {
    this.file = file;
    this.path = path;
    this.node = node;
    if (!(node instanceof MappingNode mapping)) {
      throw broken("", "expected keys with values, found " + shown(node));
    }
    this.values = values(mapping);
  }

  private Map<String, Node> values(MappingNode mapping) {
    var found = new LinkedHashMap<String, Node>();
    for (var entry : mapping.getValue()) {
      if (!(entry.getKeyNode() instanceof ScalarNode key)) {
        throw complaint("", entry.getKeyNode(), "expected a plain word as the key");
      }
      if (found.putIfAbsent(key.getValue(), entry.getValueNode()) != null) {
        throw complaint(key.getValue(), key, "the key appears twice; expected each key once");
      }
    }
    return found;
  }

  /**
   * Returns an exception about a key, with the key's line, or this section's line if the key is
   * absent.
   */
  BrokenFlow broken(String key, String expected) {
    return complaint(key, key.isEmpty() ? node : values.getOrDefault(key, node), expected);
  }

  /** Returns an exception about one item of a list. */
  BrokenFlow broken(String key, int item, String expected) {
    var items = values.get(key) instanceof SequenceNode list ? list.getValue() : List.<Node>of();
    return complaint(
        key + "[" + item + "]", item < items.size() ? items.get(item) : node, expected);
  }

  private BrokenFlow complaint(String key, Node where, String expected) {
    return new BrokenFlow(file, at(key), where.getStartMark().getLine() + 1, expected);
  }

  private String at(String key) {
    if (key.isEmpty()) {
      return path;
    }
    return path.isEmpty() ? key : path + "." + key;
  }

  /** Refuses all keys but these, so that a misspelled key is noticed. */
  void only(String... keys) {
    var known = new TreeSet<>(Set.of(keys));
    for (var name : values.keySet()) {
      if (!known.contains(name)) {
        throw broken(name, "unknown key; expected one of " + String.join(", ", known));
      }
    }
  }

  private Optional<Node> value(String key) {
    return Optional.ofNullable(values.get(key)).filter(found -> !found.getTag().equals(Tag.NULL));
  }

  private Node required(String key, String expected) {
    return value(key).orElseThrow(() -> broken(key, "missing; expected " + expected));
  }

  /** Returns whether the key is there with a value. */
  boolean has(String key) {
    return value(key).isPresent();
  }

  Section section(String key) {
    return new Section(file, at(key), required(key, "keys with values"));
  }

  Optional<Section> optionalSection(String key) {
    return value(key).map(found -> new Section(file, at(key), found));
  }

  /** Returns the keys, in the order of the file. */
  Set<String> keys() {
    return Collections.unmodifiableSet(values.keySet());
  }

  /** Returns the sections in this one by key, in the order of the file. */
  Map<String, Section> sections() {
    var sections = new LinkedHashMap<String, Section>();
    values.keySet().forEach(key -> sections.put(key, section(key)));
    return sections;
  }

  /** Returns a text of at most {@code longest} code points, without surrounding blanks. */
  String text(String key, int longest) {
    return text(key, required(key, "a text"), longest);
  }

  @Nullable String optionalText(String key, int longest) {
    return value(key).map(found -> text(key, found, longest)).orElse(null);
  }

  private String text(String key, Node found, int longest) {
    if (!(found instanceof ScalarNode scalar)) {
      throw complaint(key, found, "expected a text, found " + shown(found));
    }
    var text = scalar.getValue().strip();
    if (text.isEmpty()) {
      throw complaint(key, found, "expected a text, found a blank one");
    }
    if (!scalar.getTag().equals(Tag.STR)) {
      throw complaint(
          key,
          found,
          "expected a text, found " + shown(found) + "; if you mean this text, put it in quotes");
    }
    var length = text.codePointCount(0, text.length());
    if (length > longest) {
      throw complaint(key, found, "expected at most " + longest + " characters, found " + length);
    }
    return text;
  }

  List<String> texts(String key, int longest) {
    return texts(key, required(key, "a list of texts"), longest);
  }

  List<String> optionalTexts(String key, int longest) {
    return value(key).map(found -> texts(key, found, longest)).orElse(List.of());
  }

  /** Reads a list of texts and refuses duplicates, because they are mistakes. */
  private List<String> texts(String key, Node found, int longest) {
    if (!(found instanceof SequenceNode list)) {
      throw complaint(key, found, "expected a list such as [a, b], found " + shown(found));
    }
    var texts = new ArrayList<String>();
    for (var item : list.getValue()) {
      var place = key + "[" + texts.size() + "]";
      var text = text(place, item, longest);
      if (texts.contains(text)) {
        throw complaint(place, item, "'" + text + "' appears twice; expected it once");
      }
      texts.add(text);
    }
    return List.copyOf(texts);
  }

  int integer(String key, int least, int most, int otherwise) {
    var given = optionalInteger(key, least, most);
    return given == null ? otherwise : given;
  }

  @Nullable Integer optionalInteger(String key, int least, int most) {
    return value(key)
        .map(found -> number(key, found, "a whole number", least, most, Tag.INT).intValueExact())
        .orElse(null);
  }

  @Nullable Double optionalNumber(String key, int least, int most) {
    return value(key)
        .map(found -> number(key, found, "a number", least, most, Tag.INT, Tag.FLOAT).doubleValue())
        .orElse(null);
  }

  /**
   * Reads a decimal number. YAML's other forms (octal {@code 010}, base 60 {@code 8:15}, {@code
   * .nan}) are refused, because they are never meant here.
   */
  private BigDecimal number(String key, Node found, String kind, int least, int most, Tag... tags) {
    if (found instanceof ScalarNode scalar
        && List.of(tags).contains(scalar.getTag())
        && scalar.getValue().matches("-?(0|[1-9][0-9]{0,9})(\\.[0-9]{1,9})?")) {
      var number = new BigDecimal(scalar.getValue());
      if (number.compareTo(BigDecimal.valueOf(least)) >= 0
          && number.compareTo(BigDecimal.valueOf(most)) <= 0) {
        return number;
      }
    }
    throw complaint(
        key,
        found,
        "expected " + kind + " from " + least + " to " + most + ", found " + shown(found));
  }

  boolean flag(String key, boolean otherwise) {
    return value(key).map(found -> flag(key, found)).orElse(otherwise);
  }

  /** Reads {@code true} or {@code false}, but not YAML 1.1's yes, no, on and off. */
  private boolean flag(String key, Node found) {
    if (found instanceof ScalarNode scalar && scalar.getTag().equals(Tag.BOOL)) {
      if (scalar.getValue().equals("true") || scalar.getValue().equals("false")) {
        return scalar.getValue().equals("true");
      }
    }
    throw complaint(key, found, "expected true or false, found " + shown(found));
  }

  private static String shown(Node node) {
    return switch (node) {
      case MappingNode mapping -> "keys with values";
      case SequenceNode list -> "a list";
      case ScalarNode scalar when scalar.getTag().equals(Tag.NULL) -> "nothing";
      case ScalarNode scalar when scalar.getValue().length() > 60 -> "a long text";
      case ScalarNode scalar -> "'" + scalar.getValue() + "'";
      default -> "something else";
    };
  }
}
