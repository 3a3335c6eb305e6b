package org.habitline.tools;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.time.Instant;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.habitline.flows.FieldType;
import org.habitline.flows.Flow;
import org.habitline.flows.ProfileField;

/**
 * Changes a profile for staff, by the same code as the tools of the coach: types, bounds, allowed
 * values, the flow's rules between fields, and the stamp of a completed part. Unlike a model, staff
 * see every field of the flow and the problem of every field at once.
 */
public final class ProfileEdit {

  private static final String DATE = "date";
  private static final String TEXT = "text";

  private ProfileEdit() {}

  /** What becomes of a change. */
  public sealed interface Edited {

    /**
     * The change is accepted.
     *
     * @param changes of every field that differs; empty if none does
     * @param raised the flags that become true
     * @param notes what the flow's rules made of other values
     */
    record Accepted(
        Profile profile, List<Effect.Change> changes, List<String> raised, List<String> notes)
        implements Edited {
      public Accepted {
        changes = List.copyOf(changes);
        raised = List.copyOf(raised);
        notes = List.copyOf(notes);
      }
    }

    /**
     * Nothing is changed.
     *
     * @param problems by field, what is expected there
     */
    record Refused(Map<String, String> problems) implements Edited {
      public Refused {
        problems = Collections.unmodifiableMap(new LinkedHashMap<>(problems));
      }
    }
  }

  /**
   * Returns what becomes of a change.
   *
   * @param wanted by field; a JSON null empties one. A text for a field of dated entries adds an
   *     entry; a list replaces them
   * @param today the participant's local date
   */
  public static Edited edit(
      Flow flow, Profile before, Map<String, JsonNode> wanted, LocalDate today, Instant now) {
    var problems = new LinkedHashMap<String, String>();
    var values = new TreeMap<>(before.fields());
    wanted.forEach((name, given) -> {
      var field = field(flow, name);
      if (field.isEmpty()) {
        problems.put(name, "The flow has no such field.");
      } else if (given.isNull()) {
        values.remove(field.get().name());
      } else {
        read(field.get(), given, before, today, problems)
            .ifPresent(value -> values.put(field.get().name(), value));
      }
    });
    if (!problems.isEmpty()) {
      return new Edited.Refused(problems);
    }
    var checked = ProfileRules.check(flow, before, values);
    if (checked.refusal().isPresent()) {
      var refusal = checked.refusal().get();
      return new Edited.Refused(Map.of(refusal.result().path("field").asText(), sentence(refusal)));
    }
    var after = checked.profile(before, before.tone(), now);
    var changes = SaveUserProfile.changes(flow, before, after);
    var save = new Effect.SaveProfile(after, changes);
    for (var module : modules(flow, changes)) {
      save = CompletedPart.save(flow, module, before, save.profile(), save.changes(), now);
    }
    return new Edited.Accepted(save.profile(), save.changes(), checked.raised(), checked.notes());
  }

  private static Optional<ProfileField> field(Flow flow, String name) {
    return flow.profile().stream().filter(field -> field.name().equals(name)).findFirst();
  }

  /** Returns the modules to which the changed fields belong. */
  private static List<String> modules(Flow flow, List<Effect.Change> changes) {
    return changes.stream()
        .flatMap(change -> field(flow, change.field()).stream())
        .flatMap(field -> Optional.ofNullable(field.module()).stream())
        .distinct()
        .toList();
  }

  private static Optional<JsonNode> read(
      ProfileField field,
      JsonNode given,
      Profile before,
      LocalDate today,
      Map<String, String> problems) {
    var name = field.name();
    if (field.type() instanceof FieldType.Entries type) {
      if (given.isArray()) {
        return entries(name, type, given, today, problems);
      }
      return one(name, type, given, problems)
          .flatMap(text -> {
            var with = Entries.with(type, before.fields().get(name), text, today);
            if (with.isEmpty()) {
              problems.put(name, full(type));
            }
            return with;
          });
    }
    return one(name, field.type(), given, problems);
  }

  /** Reads a value as a tool does; a blank one is refused, because null empties a field. */
  private static Optional<JsonNode> one(
      String name, FieldType type, JsonNode given, Map<String, String> problems) {
    var named = JsonNodeFactory.instance.objectNode();
    named.set(name, given);
    var arguments = new Arguments(named, List.of(name), List.of());
    var value = arguments.value(name, type);
    if (arguments.refusal().isPresent()) {
      problems.put(name, sentence(arguments.refusal().get()));
      return Optional.empty();
    }
    if (value.isEmpty()) {
      problems.put(name, "A value is expected.");
    }
    return value;
  }

  private static Optional<JsonNode> entries(
      String name,
      FieldType.Entries type,
      JsonNode given,
      LocalDate today,
      Map<String, String> problems) {
    if (given.size() > type.most()) {
      problems.put(name, full(type));
      return Optional.empty();
    }
    var all = JsonNodeFactory.instance.arrayNode();
    for (var entry : given) {
      var text = one(name, type, entry.isObject() ? entry.path(TEXT) : entry, problems);
      var date = entry.isObject() ? entry.path(DATE).asText() : today.toString();
      if (text.isPresent() && !isDate(date)) {
        problems.put(name, "The date of an entry is expected to be like 2026-11-21.");
      }
      text.ifPresent(it -> {
        var added = all.addObject();
        if (!date.isEmpty()) {
          added.put(DATE, date);
        }
        added.set(TEXT, it);
      });
    }
    return problems.containsKey(name) ? Optional.empty() : Optional.of(all);
  }

  /** An entry without a date was saved before the field became a list. */
  private static boolean isDate(String text) {
    try {
      return text.isEmpty() || LocalDate.parse(text).toString().equals(text);
    } catch (DateTimeParseException e) {
      return false;
    }
  }

  private static String full(FieldType.Entries type) {
    return "The field holds at most %d entries.".formatted(type.most());
  }

  private static String sentence(ToolOutcome refusal) {
    var valid = refusal.result().path("valid_values");
    return refusal.result().path("message").asText()
        + (valid.isEmpty()
            ? ""
            : " Expected: "
                + StreamSupport.stream(valid.spliterator(), false)
                    .map(JsonNode::asText)
                    .collect(Collectors.joining(", "))
                + ".");
  }
}
