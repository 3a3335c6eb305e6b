package org.habitline.tools;

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
 */
public record Profile(
    Map<String, String> fields,
    int successCount,
    int totalPrompts,
    Tone tone,
    Instant createdAt,
    Instant updatedAt) {

  public Profile {
    fields = Collections.unmodifiableMap(new TreeMap<>(fields));
  }

  /** Returns a copy with these counters. */
  public Profile counted(int successes, int prompts) {
    return new Profile(fields, successes, prompts, tone, createdAt, updatedAt);
  }

  /** Returns a copy with another value of one field. */
  public Profile with(String field, String value, Instant at) {
    var changed = new TreeMap<>(fields);
    changed.put(field, value);
    return new Profile(changed, successCount, totalPrompts, tone, createdAt, at);
  }

  /** Returns the value of a field: the saved one, else the flow's default, else empty. */
  public Optional<String> value(ProfileField field) {
    return Optional.ofNullable(fields.getOrDefault(field.name(), field.defaultValue()));
  }
}
