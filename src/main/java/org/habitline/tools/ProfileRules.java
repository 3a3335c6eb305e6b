package org.habitline.tools;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.habitline.flows.Flow;
import org.habitline.flows.ProfileField;
import org.jspecify.annotations.Nullable;

/**
 * Applies a flow's rules between fields to the values that a tool is about to save: a flag stays
 * true, what a flag forbids is neither kept nor accepted, and a number below the lowest one that
 * another field allows raises a flag instead of being saved. A change of what other values describe
 * archives and empties these.
 */
final class ProfileRules {

  /** The rule for a flag that is true already. */
  private static final String STAYS = "This stays true; staff have been shown it.";

  private final Flow flow;
  private final Profile before;
  private final SortedMap<String, JsonNode> values;
  private final Set<String> raised = new LinkedHashSet<>();
  private final List<String> notes = new ArrayList<>();
  private final SortedMap<String, JsonNode> archived = new TreeMap<>();
  private @Nullable ToolOutcome refusal;

  private ProfileRules(Flow flow, Profile before, Map<String, JsonNode> wanted) {
    this.flow = flow;
    this.before = before;
    this.values = new TreeMap<>(wanted);
  }

  /**
   * What the rules leave of the wanted values.
   *
   * @param values all values to store, by field
   * @param raised the flags that become true
   * @param archived the values to archive, by field
   * @param notes what the model has to know about values that are not saved
   * @param refusal the error that refuses the whole call, if there is one
   */
  record Checked(
      SortedMap<String, JsonNode> values,
      List<String> raised,
      SortedMap<String, JsonNode> archived,
      List<String> notes,
      Optional<ToolOutcome> refusal) {
    Checked {
      values = Collections.unmodifiableSortedMap(new TreeMap<>(values));
      archived = Collections.unmodifiableSortedMap(new TreeMap<>(archived));
      raised = List.copyOf(raised);
      notes = List.copyOf(notes);
    }

    /** Returns the profile with the values and the archived ones. */
    Profile profile(Profile before, Tone tone, Instant at) {
      return before.with(values, tone, at).archiving(archived, at);
    }
  }

  /**
   * Checks the values that would be stored, changed and unchanged ones.
   *
   * @param wanted by field; a field that the flow does not have is left as it is
   */
  static Checked check(Flow flow, Profile before, Map<String, JsonNode> wanted) {
    var rules = new ProfileRules(flow, before, wanted);
    rules.apply();
    return new Checked(
        rules.values,
        List.copyOf(rules.raised),
        rules.archived,
        rules.notes,
        Optional.ofNullable(rules.refusal));
  }

  private void apply() {
    for (var field : flow.profile()) {
      var flag = field.flag();
      if (flag == null) {
        continue;
      }
      if (isTrue(before.fields().get(field.name()))) {
        holds(field.name(), flag);
      } else if (isTrue(values.get(field.name()))) {
        raise(field.name());
      }
    }
    flow.profile().forEach(this::boundByAnother);
    flow.profile().forEach(this::archive);
  }

  /** Archives the values that describe the old value of a field, if that is replaced or emptied. */
  private void archive(ProfileField field) {
    var old = before.fields().get(field.name());
    if (old == null || old.equals(values.get(field.name()))) {
      return;
    }
    var emptied = new ArrayList<String>();
    for (var name : field.archives()) {
      var value = before.fields().get(name);
      if (value != null && archived.putIfAbsent(name, value) == null) {
        // What the same call says anew is about the new value.
        values.remove(name, value);
        emptied.add(name);
      }
    }
    if (!emptied.isEmpty()) {
      notes.add(
          "%s changed, so what was saved in %s was archived."
              .formatted(field.name(), String.join(", ", emptied)));
    }
  }

  /** Refuses what does not go with a flag that was true before the call. */
  private void holds(String name, ProfileField.Flag flag) {
    if (!isTrue(values.get(name))) {
      refuse(name, STAYS, List.of("true"));
    }
    flag.forbids()
        .keySet()
        .forEach(field -> {
          var value = values.get(field);
          if (value != null && flag.forbids(field, value)) {
            if (value.equals(before.fields().get(field))) {
              values.remove(field);
            } else {
              forbid(name, field, others(field, flag));
            }
          }
        });
  }

  /** Returns the values of a choice that the flag still allows; empty for other types. */
  private List<String> others(String name, ProfileField.Flag flag) {
    var forbidden = flag.forbids().getOrDefault(name, List.of());
    return forbidden.isEmpty()
        ? List.of()
        : field(name)
            .map(field ->
                field.values().stream().filter(value -> !forbidden.contains(value)).toList())
            .orElse(List.of());
  }

  /** Makes a flag true and empties what it forbids. */
  private void raise(String name) {
    if (isTrue(before.fields().get(name)) || !raised.add(name)) {
      return;
    }
    values.put(name, BooleanNode.TRUE);
    var flag = field(name).map(ProfileField::flag).orElse(null);
    if (flag == null) {
      return;
    }
    flag.forbids()
        .keySet()
        .forEach(field -> {
          var value = values.get(field);
          if (value != null && flag.forbids(field, value)) {
            values.remove(field);
            notes.add("%s was not kept: %s is true.".formatted(field, name));
          }
        });
  }

  private void boundByAnother(ProfileField field) {
    var rule = field.lowest();
    var value = values.get(field.name());
    if (rule == null || value == null || !value.isNumber()) {
      return;
    }
    var other = values.get(rule.field());
    if (other == null || !other.isNumber()) {
      if (value.equals(before.fields().get(field.name()))) {
        values.remove(field.name());
        notes.add("%s was not kept: it needs %s.".formatted(field.name(), rule.field()));
      } else {
        refuse(
            field.name(),
            "This is accepted only with %s; save that first, or both together."
                .formatted(rule.field()),
            List.of());
      }
      return;
    }
    var lowest = rule.at(other.decimalValue());
    if (value.decimalValue().compareTo(lowest) < 0) {
      values.remove(field.name());
      notes.add(
          "%s was not saved: with %s %s it is at least %s. %s is true from now on."
              .formatted(
                  field.name(), rule.field(), other.asText(), lowest.toPlainString(), rule.flag()));
      raise(rule.flag());
    }
  }

  /** Refuses a value and names the flag, so that nobody repeats the sentence to a participant. */
  private void forbid(String flag, String field, List<String> validValues) {
    if (refusal == null) {
      refusal =
          ToolOutcome.error(field, "Not accepted while %s is true.".formatted(flag), validValues);
      refusal.result().put("flag", flag);
    }
  }

  private void refuse(String field, String message, List<String> validValues) {
    if (refusal == null) {
      refusal = ToolOutcome.error(field, message, validValues);
    }
  }

  private Optional<ProfileField> field(String name) {
    return flow.profile().stream().filter(field -> field.name().equals(name)).findFirst();
  }

  private static boolean isTrue(@Nullable JsonNode value) {
    return value != null && value.isBoolean() && value.booleanValue();
  }
}
