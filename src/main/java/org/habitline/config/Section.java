package org.habitline.config;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * A mapping in a configuration file. It knows its key path, so that every mistake names file, key,
 * line and what was expected. A mistake does not end the reading: it is added to {@link Mistakes},
 * and the method returns a harmless value. A key without a value is a mistake: whoever writes it
 * means to say something, and what it would switch on must not stay off in silence.
 */
public final class Section {

  private static final int LONGEST_NAME = 200;
  private static final int MOST_DECIMALS = 9;

  private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9][0-9]{0,9})(\\.[0-9]{1,40})?");

  /** Matches a plain file name, which cannot lead out of the folder and is not hidden. */
  private static final Pattern PROMPT_FILE =
      Pattern.compile("^[A-Za-z0-9_-]++(?:\\.(?!txt\\z)[A-Za-z0-9_-]++)*+\\.txt");

  private final Mistakes mistakes;
  private final String path;
  private final Node node;

  /** The line of the key that has this section as its value. */
  private final int line;

  private final Map<String, NodeTuple> values;

  /** Whether the section is missing or no mapping, which is a mistake of its own. */
  private final boolean absent;

  /** Creates the section of a whole file; a node that is no mapping is a mistake. */
  Section(Mistakes mistakes, Node root) {
    this(mistakes, "", root, line(root));
  }

  private Section(Mistakes mistakes, String path, Node node, int line) {
    this.mistakes = mistakes;
    this.path = path;
    this.node = node;
    this.line = line;
    this.absent = !(node instanceof MappingNode);
    if (node instanceof MappingNode mapping) {
      this.values = values(mapping);
    } else {
      this.values = Map.of();
      mistakes.add(path, line, "expected keys with values, found " + shown(node));
    }
  }

  /** Creates a section without keys, such as the options of a tool that is named without any. */
  private Section(Mistakes mistakes, String path, Node node, int line, boolean absent) {
    this.mistakes = mistakes;
    this.path = path;
    this.node = node;
    this.line = line;
    this.absent = absent;
    this.values = Map.of();
  }

  private Map<String, NodeTuple> values(MappingNode mapping) {
    var found = new LinkedHashMap<String, NodeTuple>();
    for (var entry : mapping.getValue()) {
      if (!(entry.getKeyNode() instanceof ScalarNode key)) {
        mistakes.add(path, line(entry.getKeyNode()), "expected a plain word as the key");
      } else if (found.putIfAbsent(key.getValue(), entry) != null) {
        mistakes.add(
            at(key.getValue()), line(key), "the key appears twice; expected each key once");
      }
    }
    return found;
  }

  /** Adds a mistake about a key, with the key's line, or this section's if the key is absent. */
  public void refuse(String key, String expected) {
    mistake(key, line, expected);
  }

  /** Adds a mistake about one item of a list. */
  public void refuse(String key, int item, String expected) {
    var items =
        value(key).orElse(null) instanceof SequenceNode list ? list.getValue() : List.<Node>of();
    mistake(key + "[" + item + "]", item < items.size() ? line(items.get(item)) : line, expected);
  }

  private void refuse(String key, Node where, String expected) {
    mistake(key, line(where), expected);
  }

  /**
   * Adds a mistake with the line of its key, because a value may begin on a later one.
   *
   * @param otherwise the line if this section has no such key
   */
  private void mistake(String key, int otherwise, String expected) {
    if (!absent) {
      mistakes.add(at(key), line(key, otherwise), expected);
    }
  }

  private int line(String key, int otherwise) {
    var entry = values.get(key);
    return entry == null ? otherwise : line(entry.getKeyNode());
  }

  private static int line(Node where) {
    return where.getStartMark().getLine() + 1;
  }

  private String at(String key) {
    if (key.isEmpty()) {
      return path;
    }
    return path.isEmpty() ? key : path + "." + key;
  }

  /** Refuses all keys but these, so that a misspelled key is noticed. */
  public void only(String... keys) {
    var known = new TreeSet<>(Set.of(keys));
    for (var name : values.keySet()) {
      if (!known.contains(name)) {
        refuse(
            name,
            known.isEmpty()
                ? "unknown key; expected none"
                : "unknown key; expected one of " + String.join(", ", known));
      }
    }
  }

  private Optional<Node> value(String key) {
    return Optional.ofNullable(values.get(key)).map(NodeTuple::getValueNode);
  }

  /** Returns the node of a key; a missing key is a mistake, and so is one without a value. */
  private Optional<Node> required(String key, String expected) {
    var found = value(key).filter(it -> !isNothing(it));
    if (found.isEmpty()) {
      refuse(key, "missing; expected " + expected);
    }
    return found;
  }

  private static boolean isNothing(Node node) {
    return node.getTag().equals(Tag.NULL);
  }

  /** Returns whether the key is there. */
  public boolean has(String key) {
    return value(key).isPresent();
  }

  /** Returns whether the key has keys with values of its own. */
  public boolean isSection(String key) {
    return value(key).filter(MappingNode.class::isInstance).isPresent();
  }

  /** Returns whether the key has a list. */
  public boolean isList(String key) {
    return value(key).filter(SequenceNode.class::isInstance).isPresent();
  }

  /** Returns the section of a key; a missing one is a mistake, and has no keys. */
  public Section section(String key) {
    return required(key, "keys with values")
        .map(found -> new Section(mistakes, at(key), found, line(key, line)))
        .orElseGet(() -> new Section(mistakes, at(key), node, line, true));
  }

  public Optional<Section> optionalSection(String key) {
    return value(key).map(found -> new Section(mistakes, at(key), found, line(key, line)));
  }

  /** Returns a list whose items each have keys with values; empty if the key is absent. */
  public List<Section> sectionList(String key) {
    var found = value(key);
    if (found.isPresent() && !(found.get() instanceof SequenceNode)) {
      refuse(key, found.get(), "expected a list of keys with values, found " + shown(found.get()));
    }
    var sections = new ArrayList<Section>();
    if (found.orElse(null) instanceof SequenceNode list) {
      for (int i = 0; i < list.getValue().size(); i++) {
        var item = list.getValue().get(i);
        sections.add(new Section(mistakes, at(key + "[" + i + "]"), item, line(item)));
      }
    }
    return sections;
  }

  /** Returns the keys, in the order of the file. */
  public Set<String> keys() {
    return Collections.unmodifiableSet(values.keySet());
  }

  /** Returns the sections in this one by key, in the order of the file. */
  public Map<String, Section> sections() {
    var sections = new LinkedHashMap<String, Section>();
    values.keySet().forEach(key -> sections.put(key, section(key)));
    return sections;
  }

  /**
   * Returns a list whose items are names or a name with options ({@code name: {…}}), in the order
   * of the file. A name without options has a section without keys.
   */
  public Map<String, Section> named(String key) {
    var named = new LinkedHashMap<String, Section>();
    for (var item : items(key)) {
      if (named.putIfAbsent(item.name(), item.options()) != null) {
        refuse(item.place(), item.node(), "'" + item.name() + "' appears twice; expected it once");
      }
    }
    return named;
  }

  /** An item of a list, with its options. */
  public record Item(String place, Node node, String name, Section options) {}

  /** Returns a list as {@link #named} does; a name may appear several times. */
  public List<Item> items(String key) {
    var items = new ArrayList<Item>();
    var found = required(key, "a list of names");
    if (found.isPresent() && !(found.get() instanceof SequenceNode)) {
      refuse(key, found.get(), "expected a list such as [a, b], found " + shown(found.get()));
    }
    if (found.orElse(null) instanceof SequenceNode list) {
      for (int i = 0; i < list.getValue().size(); i++) {
        item(key + "[" + i + "]", list.getValue().get(i)).ifPresent(items::add);
      }
    }
    return items;
  }

  private Optional<Item> item(String place, Node item) {
    var name = item;
    var options = new Section(mistakes, at(place), item, line(item), false);
    if (item instanceof MappingNode mapping) {
      if (mapping.getValue().size() != 1) {
        refuse(place, item, "expected one name with its options");
        return Optional.empty();
      }
      name = mapping.getValue().getFirst().getKeyNode();
      var given = mapping.getValue().getFirst().getValueNode();
      if (!isNothing(given)) {
        options = new Section(mistakes, at(place), given, line(item));
      }
    }
    var read = text(place, name, LONGEST_NAME);
    return read == null ? Optional.empty() : Optional.of(new Item(place, item, read, options));
  }

  /** Returns the items of a list of keys with values, in the order of the file. */
  public List<Section> each(String key) {
    var found = required(key, "a list of keys with values");
    if (found.isPresent() && !(found.get() instanceof SequenceNode)) {
      refuse(key, found.get(), "expected a list, found " + shown(found.get()));
    }
    var items = new ArrayList<Section>();
    if (found.orElse(null) instanceof SequenceNode list) {
      for (int i = 0; i < list.getValue().size(); i++) {
        var item = list.getValue().get(i);
        items.add(new Section(mistakes, at(key + "[" + i + "]"), item, line(item)));
      }
    }
    return items;
  }

  /** Returns a day such as 2026-01-31, or empty if the key is absent. */
  public Optional<LocalDate> optionalDate(String key) {
    var found = value(key);
    try {
      if (found.orElse(null) instanceof ScalarNode scalar) {
        return Optional.of(LocalDate.parse(scalar.getValue().strip()));
      }
    } catch (DateTimeParseException e) {
      // Refused below.
    }
    found.ifPresent(
        node -> refuse(key, node, "expected a day such as 2026-01-31, found " + shown(node)));
    return Optional.empty();
  }

  /** Returns a text of at most {@code longest} code points, without surrounding blanks. */
  public String text(String key, int longest) {
    return required(key, "a text").map(found -> text(key, found, longest)).orElse("");
  }

  public @Nullable String optionalText(String key, int longest) {
    return value(key).map(found -> text(key, found, longest)).orElse(null);
  }

  private @Nullable String text(String key, Node found, int longest) {
    if (!(found instanceof ScalarNode scalar) || isNothing(found)) {
      refuse(key, found, "expected a text, found " + shown(found));
      return null;
    }
    var text = scalar.getValue().strip();
    if (text.isEmpty()) {
      refuse(key, found, "expected a text, found a blank one");
      return null;
    }
    if (!scalar.getTag().equals(Tag.STR)) {
      refuse(
          key,
          found,
          "expected a text, found " + shown(found) + "; if you mean this text, put it in quotes");
      return null;
    }
    var length = text.codePointCount(0, text.length());
    if (length > longest) {
      refuse(key, found, "expected at most " + longest + " characters, found " + length);
      return null;
    }
    return text;
  }

  /** Returns whether a prompt file may have this name. */
  public static boolean isPromptFile(String name) {
    return PROMPT_FILE.matcher(name).matches();
  }

  /**
   * Returns the name of a prompt file; anything but the name of a {@code .txt} file is a mistake.
   */
  public String promptFile(String key) {
    var name = text(key, LONGEST_NAME);
    if (has(key) && !isPromptFile(name)) {
      refuse(key, "expected the name of a .txt file in the prompts folder, found '" + name + "'");
    }
    return name;
  }

  /** Returns a list of texts, each once; empty if the key is absent. */
  public List<String> optionalTexts(String key, int longest) {
    return value(key).map(found -> texts(key, found, longest, true)).orElse(List.of());
  }

  /** Returns a list of texts, in which one may appear twice; empty if the key is absent. */
  public List<String> list(String key, int longest) {
    return value(key).map(found -> texts(key, found, longest, false)).orElse(List.of());
  }

  private List<String> texts(String key, Node found, int longest, boolean once) {
    if (!(found instanceof SequenceNode list)) {
      refuse(key, found, "expected a list such as [a, b], found " + shown(found));
      return List.of();
    }
    var texts = new ArrayList<String>();
    for (int i = 0; i < list.getValue().size(); i++) {
      var place = key + "[" + i + "]";
      var item = list.getValue().get(i);
      var text = text(place, item, longest);
      if (once && text != null && texts.contains(text)) {
        refuse(place, item, "'" + text + "' appears twice; expected it once");
      } else if (text != null) {
        texts.add(text);
      }
    }
    return List.copyOf(texts);
  }

  public int integer(String key, int least, int most, int otherwise) {
    var given = optionalInteger(key, least, most);
    return given == null ? otherwise : given;
  }

  public @Nullable Integer optionalInteger(String key, int least, int most) {
    return value(key)
        .flatMap(found -> number(key, found, "a whole number", BigDecimal.valueOf(least), most, 0))
        .map(BigDecimal::intValueExact)
        .orElse(null);
  }

  public @Nullable Double optionalNumber(String key, int least, int most) {
    return optionalDecimal(key, least, most).map(BigDecimal::doubleValue).orElse(null);
  }

  public Optional<BigDecimal> optionalDecimal(String key, int least, int most) {
    return value(key)
        .flatMap(found ->
            number(key, found, "a number", BigDecimal.valueOf(least), most, MOST_DECIMALS));
  }

  /**
   * Returns a number with at most as many decimals as the least one has, or empty if the key is
   * absent or has this word instead of a number, such as {@code off}.
   */
  public Optional<BigDecimal> decimalOr(String word, String key, BigDecimal least, int most) {
    var kind = word + (least.scale() > 0 ? " or a number" : " or a whole number");
    return value(key)
        .filter(found ->
            !(found instanceof ScalarNode scalar && scalar.getValue().strip().equals(word)))
        .flatMap(found -> number(key, found, kind, least, most, least.scale()));
  }

  /**
   * Reads a decimal number. YAML's other forms (octal {@code 010}, base 60 {@code 8:15}, {@code
   * .nan}) are refused, because they are never meant here.
   */
  private Optional<BigDecimal> number(
      String key, Node found, String kind, BigDecimal least, int most, int decimals) {
    var number =
        found instanceof ScalarNode scalar
                && (scalar.getTag().equals(Tag.INT) || scalar.getTag().equals(Tag.FLOAT))
                && NUMBER.matcher(scalar.getValue()).matches()
            ? Optional.of(new BigDecimal(scalar.getValue()))
            : Optional.<BigDecimal>empty();
    var inRange =
        number.filter(
            it -> it.compareTo(least) >= 0 && it.compareTo(BigDecimal.valueOf(most)) <= 0);
    var fits = inRange.filter(it -> it.scale() <= decimals);
    if (fits.isEmpty()) {
      refuse(
          key,
          found,
          "expected "
              + kind
              + " from "
              + least.toPlainString()
              + " to "
              + most
              + (decimals > 0 && inRange.isPresent()
                  ? " with at most " + decimals + " decimals"
                  : "")
              + ", found "
              + shown(found));
    }
    return fits;
  }

  public boolean flag(String key, boolean otherwise) {
    return value(key).map(found -> flag(key, found, otherwise)).orElse(otherwise);
  }

  /** Reads {@code true} or {@code false}, but not YAML 1.1's yes, no, on and off. */
  private boolean flag(String key, Node found, boolean otherwise) {
    if (found instanceof ScalarNode scalar
        && scalar.getTag().equals(Tag.BOOL)
        && (scalar.getValue().equals("true") || scalar.getValue().equals("false"))) {
      return scalar.getValue().equals("true");
    }
    refuse(key, found, "expected true or false, found " + shown(found));
    return otherwise;
  }

  /** Reads {@code on} or {@code off}. */
  public boolean on(String key, boolean otherwise) {
    return value(key).map(found -> on(key, found, otherwise)).orElse(otherwise);
  }

  private boolean on(String key, Node found, boolean otherwise) {
    if (found instanceof ScalarNode scalar && List.of("on", "off").contains(scalar.getValue())) {
      return scalar.getValue().equals("on");
    }
    refuse(key, found, "expected on or off, found " + shown(found));
    return otherwise;
  }

  private static String shown(Node node) {
    return switch (node) {
      case MappingNode mapping -> "keys with values";
      case SequenceNode list -> "a list";
      case ScalarNode scalar when isNothing(scalar) -> "nothing; to do without it, remove the line";
      case ScalarNode scalar when scalar.getValue().length() > 60 -> "a long text";
      case ScalarNode scalar -> "'" + scalar.getValue() + "'";
      default -> "something else";
    };
  }
}
