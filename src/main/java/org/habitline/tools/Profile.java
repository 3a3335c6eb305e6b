package org.habitline.tools;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.habitline.flows.ProfileField;

/**
 * A participant's profile (state data key {@code userProfile} of seed 003): the flow's own fields
 * by name, only those with a value, and the counters that the server keeps. Immutable; the fields
 * are in alphabetical order, so that a request built from them is always the same.
 *
 * @param fields each value as JSON of its field's type
 * @param completed when each module completed its part last, by module
 * @param archived the values that no longer count because what they described has changed, by
 *     field, oldest first
 */
public record Profile(
    Map<String, JsonNode> fields,
    Map<String, Instant> completed,
    Map<String, List<Archived>> archived,
    int successCount,
    int totalPrompts,
    Tone tone,
    Instant createdAt,
    Instant updatedAt) {

  /** The most archived values of one field; the log of changes has the older ones too. */
  static final int MOST_ARCHIVED = 20;

  /** A value that no longer counts, and until when it did. */
  public record Archived(JsonNode value, Instant archivedAt) {}

  public Profile {
    fields = Collections.unmodifiableMap(new TreeMap<>(fields));
    completed = Collections.unmodifiableMap(new TreeMap<>(completed));
    var kept = new TreeMap<String, List<Archived>>();
    archived.forEach((field, values) ->
        kept.put(
            field,
            List.copyOf(
                values.subList(Math.max(0, values.size() - MOST_ARCHIVED), values.size()))));
    archived = Collections.unmodifiableMap(kept);
  }

  /** A profile without archived values. */
  public Profile(
      Map<String, JsonNode> fields,
      Map<String, Instant> completed,
      int successCount,
      int totalPrompts,
      Tone tone,
      Instant createdAt,
      Instant updatedAt) {
    this(fields, completed, Map.of(), successCount, totalPrompts, tone, createdAt, updatedAt);
  }

  /** Returns a copy with these counters. */
  public Profile counted(int successes, int prompts) {
    return new Profile(fields, completed, archived, successes, prompts, tone, createdAt, updatedAt);
  }

  /** Returns a copy with another value of one field. */
  public Profile with(String field, JsonNode value, Instant at) {
    var changed = new TreeMap<>(fields);
    changed.put(field, value);
    return with(changed, tone, at);
  }

  /** Returns a copy with other values and another tone. */
  Profile with(Map<String, JsonNode> values, Tone learned, Instant at) {
    return new Profile(
        values, completed, archived, successCount, totalPrompts, learned, createdAt, at);
  }

  /** Returns a copy that keeps these values, by field, among the archived ones. */
  Profile archiving(Map<String, JsonNode> values, Instant at) {
    var all = new TreeMap<>(archived);
    values.forEach((field, value) ->
        all.merge(
            field,
            List.of(new Archived(value, at)),
            (before, added) -> Stream.concat(before.stream(), added.stream()).toList()));
    return new Profile(
        fields, completed, all, successCount, totalPrompts, tone, createdAt, updatedAt);
  }

  /** Returns a copy in which a module has completed its part. */
  Profile completing(String module, Instant at) {
    var stamped = new TreeMap<>(completed);
    stamped.put(module, at);
    return stamped(stamped, at);
  }

  /** Returns a copy in which a module's part is not complete any more. */
  Profile reopening(String module, Instant at) {
    var stamped = new TreeMap<>(completed);
    stamped.remove(module);
    return stamped(stamped, at);
  }

  private Profile stamped(Map<String, Instant> stamps, Instant at) {
    return new Profile(fields, stamps, archived, successCount, totalPrompts, tone, createdAt, at);
  }

  /**
   * Returns the value of a field: the saved one if it is of the field's type, else the flow's
   * default, else empty.
   */
  public Optional<JsonNode> value(ProfileField field) {
    return saved(field).or(() -> Optional.ofNullable(field.defaultValue()));
  }

  /** Returns the saved value of a field, or empty if it has none of the field's type. */
  Optional<JsonNode> saved(ProfileField field) {
    return Optional.ofNullable(fields.get(field.name())).filter(field.type()::isKindOf);
  }
}
