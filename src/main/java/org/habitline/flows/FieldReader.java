package org.habitline.flows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.habitline.config.Section;
import org.jspecify.annotations.Nullable;

/** Reads the profile fields of a flow: types, bounds, owners, other names and defaults. */
final class FieldReader {

  static final int LONGEST_FIELD = 2_000;
  static final int USUAL_FIELD = 500;
  static final int MOST_ITEMS = 100;
  static final int USUAL_ITEMS = 20;
  static final int LONGEST_ITEM = 500;
  static final int USUAL_ITEM = 200;
  static final int MOST_ENTRIES = 100;
  static final int USUAL_ENTRIES = 20;
  static final int LARGEST_NUMBER = 1_000_000_000;

  private static final int LONGEST_NAME = 200;
  private static final int LONGEST_DESCRIPTION = 500;
  private static final String TYPES = "text, choice, boolean, integer, number, date or list";

  private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,10}(?:\\.[0-9]{1,9})?");
  private static final Pattern FIELD = Pattern.compile("[a-z][a-z0-9_]{0,39}");

  /** Names that Habitline itself uses in a profile, or that a tool uses besides the fields. */
  private static final Set<String> TAKEN =
      Set.of(
          "success_count",
          "total_prompts",
          "tone",
          "created_at",
          "updated_at",
          "completed_at",
          "archived",
          "defaults",
          "tone_tags",
          "tone_update_source",
          "tone_confidence",
          "clear_fields");

  private final Set<String> modules;

  /** Creates a reader for a flow with these modules. */
  FieldReader(Set<String> modules) {
    this.modules = modules;
  }

  List<ProfileField> read(Section section) {
    var fields = new ArrayList<ProfileField>();
    var owners = new HashMap<String, String>();
    TAKEN.forEach(name -> owners.put(name, "Habitline itself"));
    section
        .sections()
        .forEach((name, given) -> {
          var field = field(name, given);
          Stream.concat(Stream.of(name), field.aliases().stream())
              .forEach(called -> claim(section, name, called, owners));
          fields.add(field);
        });
    section.sections().forEach((name, given) -> refuseUnknown(given, name, fields));
    return List.copyOf(fields);
  }

  /** Refuses a name, of a field or an alias, that is already used. */
  private static void claim(
      Section section, String field, String name, Map<String, String> owners) {
    if (!FIELD.matcher(name).matches()) {
      section.refuse(
          field,
          "expected names in lower-case letters, digits and _, at most 40 characters, found '"
              + name
              + "'");
    }
    var owner = owners.putIfAbsent(name, field);
    if (owner != null) {
      section.refuse(
          field, "the name '" + name + "' is already used by " + owner + "; expected another name");
    }
  }

  private ProfileField field(String name, Section section) {
    section.only(
        "type",
        "values",
        "min_length",
        "max_length",
        "minimum",
        "maximum",
        "max_items",
        "module",
        "required",
        "required_for_prompt",
        "description",
        "aliases",
        "default",
        "flag",
        "lowest_by",
        "appends",
        "entries",
        "archives",
        "ask_after_success");
    var type = type(section);
    refuseEntries(section, type);
    return new ProfileField(
        name,
        type,
        module(section),
        section.flag("required", false),
        section.flag("required_for_prompt", false),
        section.text("description", LONGEST_DESCRIPTION),
        section.optionalTexts("aliases", LONGEST_NAME),
        standard(section, type),
        flag(section, type),
        lowest(section, type),
        section.optionalTexts("archives", LONGEST_NAME),
        section.flag("ask_after_success", false));
  }

  private static ProfileField.@Nullable Flag flag(Section section, FieldType type) {
    var given = section.optionalSection("flag");
    if (given.isEmpty()) {
      return null;
    }
    if (!(type instanceof FieldType.Truth)) {
      section.refuse("flag", "expected no flag with this type; only a boolean can be one");
    }
    if (section.has("default")) {
      section.refuse("default", "expected no default with flag: it begins without a value");
    }
    given.get().only("forbids");
    var forbids = new LinkedHashMap<String, List<String>>();
    if (given.get().has("forbids")) {
      given
          .get()
          .named("forbids")
          .forEach((field, options) -> {
            options.only("values");
            forbids.put(field, options.optionalTexts("values", LONGEST_NAME));
          });
    }
    return new ProfileField.Flag(forbids);
  }

  private static ProfileField.@Nullable LowestBy lowest(Section section, FieldType type) {
    var given = section.optionalSection("lowest_by");
    if (given.isEmpty()) {
      return null;
    }
    if (!isNumber(type)) {
      section.refuse("lowest_by", "expected no lowest_by with this type; only a number has one");
    }
    given.get().only("field", "up_to", "flag");
    var rows = new TreeMap<BigDecimal, BigDecimal>();
    var table = given.get().section("up_to");
    for (var key : table.keys()) {
      if (!NUMBER.matcher(key).matches()) {
        table.refuse(key, "expected a number as the key, found '" + key + "'");
      } else {
        table
            .optionalDecimal(key, -LARGEST_NUMBER, LARGEST_NUMBER)
            .ifPresent(lowest -> rows.put(new BigDecimal(key), lowest));
      }
    }
    var by = given.get().text("field", LONGEST_NAME);
    var flag = given.get().text("flag", LONGEST_NAME);
    if (rows.isEmpty()) {
      given.get().refuse("up_to", "expected at least one number and its lowest value");
      return null;
    }
    return new ProfileField.LowestBy(by, rows, flag);
  }

  private static boolean isNumber(FieldType type) {
    return type instanceof FieldType.WholeNumber || type instanceof FieldType.Decimal;
  }

  /** Refuses rules about fields that are not there or have another type. */
  private static void refuseUnknown(Section section, String name, List<ProfileField> fields) {
    var field = fields.stream().filter(it -> it.name().equals(name)).findFirst().orElseThrow();
    refuseUnknownArchives(section, field, fields);
    if (field.flag() != null) {
      var index = 0;
      for (var forbidden : field.flag().forbids().entrySet()) {
        var rules = section.section("flag");
        var other = named(fields, forbidden.getKey());
        if (other.isEmpty() || forbidden.getKey().equals(name)) {
          rules.refuse("forbids", index, "expected another field of this profile");
        } else if (!other.get().values().containsAll(forbidden.getValue())) {
          rules.refuse("forbids", index, "expected values of " + other.get().name());
        } else if (isTheDefault(field.flag(), other.get())) {
          rules.refuse(
              "forbids", index, "expected no value that is the default of " + other.get().name());
        }
        index++;
      }
    }
    if (field.lowest() != null) {
      var rules = section.section("lowest_by");
      if (named(fields, field.lowest().field()).filter(it -> isNumber(it.type())).isEmpty()
          || field.lowest().field().equals(name)) {
        rules.refuse("field", "expected another field with type integer or number");
      }
      if (named(fields, field.lowest().flag()).filter(it -> it.flag() != null).isEmpty()) {
        rules.refuse("flag", "expected a boolean field that has the key flag");
      }
    }
  }

  private static void refuseUnknownArchives(
      Section section, ProfileField field, List<ProfileField> fields) {
    var accepted =
        fields.stream()
            .filter(other -> !other.equals(field) && other.flag() == null)
            .map(ProfileField::name)
            .toList();
    for (int i = 0; i < field.archives().size(); i++) {
      if (!accepted.contains(field.archives().get(i))) {
        section.refuse(
            "archives",
            i,
            "expected another field of this profile without a flag, found '%s'; expected one of %s"
                .formatted(field.archives().get(i), String.join(", ", accepted)));
      }
    }
  }

  private static boolean isTheDefault(ProfileField.Flag flag, ProfileField field) {
    return field.defaultValue() != null && flag.forbids(field.name(), field.defaultValue());
  }

  private static Optional<ProfileField> named(List<ProfileField> fields, String name) {
    return fields.stream().filter(field -> field.name().equals(name)).findFirst();
  }

  private @Nullable String module(Section section) {
    var module = section.optionalText("module", LONGEST_NAME);
    if (module != null && !modules.contains(module)) {
      section.refuse(
          "module",
          "no module is called '" + module + "'; expected one of " + String.join(", ", modules));
      return null;
    }
    return module;
  }

  private static FieldType type(Section section) {
    var name = section.optionalText("type", LONGEST_NAME);
    return switch (name) {
      case null -> text(section);
      case "text" -> text(section);
      case "choice" -> choice(section);
      case "boolean" -> {
        suits(section, name, Set.of());
        yield new FieldType.Truth();
      }
      case "integer" -> {
        suits(section, name, Set.of("minimum", "maximum"));
        var least = section.integer("minimum", -LARGEST_NUMBER, LARGEST_NUMBER, -LARGEST_NUMBER);
        yield new FieldType.WholeNumber(
            least, section.integer("maximum", least, LARGEST_NUMBER, LARGEST_NUMBER));
      }
      case "number" -> decimal(section);
      case "date" -> date(section);
      case "list" -> {
        suits(section, name, Set.of("max_items", "max_length"));
        yield new FieldType.Texts(
            section.integer("max_items", 1, MOST_ITEMS, USUAL_ITEMS),
            section.integer("max_length", 1, LONGEST_ITEM, USUAL_ITEM));
      }
      default -> {
        section.refuse("type", "unknown type '" + name + "'; expected " + TYPES);
        yield new FieldType.Text(1, LONGEST_FIELD);
      }
    };
  }

  /** Refuses bounds that the type does not have. */
  private static void suits(Section section, String type, Set<String> bounds) {
    for (var key :
        List.of("values", "min_length", "max_length", "minimum", "maximum", "max_items")) {
      if (section.has(key) && !bounds.contains(key)) {
        section.refuse(
            key,
            "expected no %s with type %s%s"
                .formatted(
                    key,
                    type,
                    key.equals("values") ? "; use type choice for a list of values" : ""));
      }
    }
  }

  private static FieldType text(Section section) {
    suits(section, "text", Set.of("min_length", "max_length"));
    var longest = section.integer("max_length", 1, LONGEST_FIELD, USUAL_FIELD);
    var shortest = section.integer("min_length", 1, longest, 1);
    if (!section.flag("appends", false)) {
      return new FieldType.Text(shortest, longest);
    }
    if (section.has("default")) {
      section.refuse("default", "expected no default with appends: it begins without entries");
    }
    return new FieldType.Entries(
        section.integer("entries", 1, MOST_ENTRIES, USUAL_ENTRIES), shortest, longest);
  }

  /** Refuses the keys of a field that appends in one that does not. */
  private static void refuseEntries(Section section, FieldType type) {
    if (type instanceof FieldType.Entries) {
      return;
    }
    if (section.flag("appends", false)) {
      section.refuse("appends", "expected no appends with this type; only a text can append");
    } else if (section.has("entries")) {
      section.refuse("entries", "expected no entries without appends: true");
    }
  }

  private static FieldType choice(Section section) {
    suits(section, "choice", Set.of("values"));
    var values = section.optionalTexts("values", LONGEST_NAME);
    if (values.isEmpty()) {
      section.refuse("values", "missing; expected the values of a choice, such as [a, b]");
      return new FieldType.Text(1, LONGEST_FIELD);
    }
    return new FieldType.Choice(values);
  }

  private static FieldType decimal(Section section) {
    suits(section, "number", Set.of("minimum", "maximum"));
    var largest = BigDecimal.valueOf(LARGEST_NUMBER);
    var least =
        section
            .optionalDecimal("minimum", -LARGEST_NUMBER, LARGEST_NUMBER)
            .orElse(largest.negate());
    var most = section.optionalDecimal("maximum", -LARGEST_NUMBER, LARGEST_NUMBER).orElse(largest);
    if (most.compareTo(least) < 0) {
      section.refuse("maximum", "expected a number that is not below minimum");
    }
    return new FieldType.Decimal(least, most);
  }

  private static FieldType date(Section section) {
    suits(section, "date", Set.of("minimum", "maximum"));
    var first = day(section, "minimum");
    var last = day(section, "maximum");
    if (first != null && last != null && last.isBefore(first)) {
      section.refuse("maximum", "expected a date that is not before minimum");
    }
    return new FieldType.Date(first, last);
  }

  private static @Nullable LocalDate day(Section section, String key) {
    var text = section.optionalText(key, LONGEST_NAME);
    try {
      return text == null ? null : LocalDate.parse(text);
    } catch (DateTimeParseException e) {
      section.refuse(
          key, "expected a date such as \"2026-11-21\", in quotes, found '" + text + "'");
      return null;
    }
  }

  private static @Nullable JsonNode standard(Section section, FieldType type) {
    if (!section.has("default")) {
      return null;
    }
    var key = "default";
    return switch (type) {
      case FieldType.Text text -> textual(section.optionalText(key, text.maxLength()));
      case FieldType.Choice choice -> {
        var given = section.optionalText(key, LONGEST_NAME);
        if (given != null && !choice.values().contains(given)) {
          section.refuse(
              key,
              "expected one of " + String.join(", ", choice.values()) + ", found '" + given + "'");
        }
        yield textual(given);
      }
      case FieldType.Truth truth -> BooleanNode.valueOf(section.flag(key, false));
      case FieldType.WholeNumber whole ->
          IntNode.valueOf(section.integer(key, whole.minimum(), whole.maximum(), whole.minimum()));
      case FieldType.Decimal decimal ->
          section
              .optionalDecimal(key, -LARGEST_NUMBER, LARGEST_NUMBER)
              .map(given -> within(section, decimal, given))
              .orElse(null);
      case FieldType.Date date -> {
        var given = day(section, key);
        yield given == null ? null : TextNode.valueOf(given.toString());
      }
      case FieldType.Texts texts -> {
        var list = JsonNodeFactory.instance.arrayNode();
        section.optionalTexts(key, texts.maxLength()).forEach(list::add);
        yield list;
      }
      // The reader of the type refused it.
      case FieldType.Entries _ -> null;
    };
  }

  private static JsonNode within(Section section, FieldType.Decimal type, BigDecimal given) {
    if (given.compareTo(type.minimum()) < 0 || given.compareTo(type.maximum()) > 0) {
      section.refuse(
          "default", "expected a number from " + type.minimum() + " to " + type.maximum());
    }
    return FieldType.Decimal.stored(given);
  }

  private static @Nullable JsonNode textual(@Nullable String text) {
    return text == null ? null : TextNode.valueOf(text);
  }
}
