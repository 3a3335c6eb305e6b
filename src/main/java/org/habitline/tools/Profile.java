package org.habitline.tools;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.habitline.flows.ProfileField;

/**
 * A participant's profile (state data key {@code userProfile} of seed 003): the flow's own fields
 * by name, only those with a value, and the counters that the server keeps. Immutable; the fields
 * are in alphabetical order, so that a request built from them is always the same.
 *
 * @param fields each value as JSON of its field's type
 * @param completed when each module completed its part last, by module
 */
public record Profile(
    Map<String, JsonNode> fields,
    Map<String, Instant> completed,
    int successCount,
    int totalPrompts,
    Tone tone,
    Instant createdAt,
    Instant updatedAt) {

  public Profile {
    fields = Collections.unmodifiableMap(new TreeMap<>(fields));
    completed = Collections.unmodifiableMap(new TreeMap<>(completed));
  }

  /** Returns a copy with these counters. */
  public Profile counted(int successes, int prompts) {
    return new Profile(fields, completed, successes, prompts, tone, createdAt, updatedAt);
  }

  /** Returns a copy with another value of one field. */
  public Profile with(String field, JsonNode value, Instant at) {
    var changed = new TreeMap<>(fields);
    changed.put(field, value);
    return with(changed, tone, at);
  }

  /** Returns a copy with other values and another tone. */
  Profile with(Map<String, JsonNode> values, Tone learned, Instant at) {
    return new Profile(values, completed, successCount, totalPrompts, learned, createdAt, at);
  }

  /** Returns a copy in which a module has completed its part. */
  Profile completing(String module, Instant at) {
    var stamped = new TreeMap<>(completed);
    stamped.put(module, at);
    return new Profile(fields, stamped, successCount, totalPrompts, tone, createdAt, at);
  }

  /** Returns a copy in which a module's part is not complete any more. */
  Profile reopening(String module, Instant at) {
    var stamped = new TreeMap<>(completed);
    stamped.remove(module);
    return new Profile(fields, stamped, successCount, totalPrompts, tone, createdAt, at);
  }

  /**
   * Returns the value of a field: the saved one if it is of the field's type, else the flow's
   * default, else empty.
   */
  public Optional<JsonNode> value(ProfileField field) {
    return Optional.ofNullable(fields.get(field.name()))
        .filter(field.type()::isKindOf)
        .or(() -> Optional.ofNullable(field.defaultValue()));
  }
}
