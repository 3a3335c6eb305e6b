package org.habitline.tools;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.habitline.flows.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Converts profiles to and from the JSON of state data key {@code userProfile} (seed 003): the
 * fields flat beside the counters, {@code tone}, {@code archived}, {@code created_at} and {@code
 * updated_at} (RFC 3339, UTC).
 *
 * <p>Fields that the current flow does not have are kept, so that editing a flow does not lose what
 * participants said before. Safe for any number of threads.
 */
@Singleton
public final class ProfileJson {

  static final String SUCCESS_COUNT = "success_count";
  static final String TOTAL_PROMPTS = "total_prompts";

  private static final String TONE = "tone";
  private static final String CREATED_AT = "created_at";
  private static final String UPDATED_AT = "updated_at";
  private static final String COMPLETED_AT = "completed_at";
  private static final String ARCHIVED = "archived";
  private static final String ARCHIVED_AT = "archived_at";
  private static final String VALUE = "value";
  private static final Set<String> OWN =
      Set.of(SUCCESS_COUNT, TOTAL_PROMPTS, TONE, CREATED_AT, UPDATED_AT, COMPLETED_AT, ARCHIVED);

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  /** Returns a profile without any values. */
  public Profile empty(Instant now) {
    return new Profile(Map.of(), Map.of(), 0, 0, Tone.unknown(), now, now);
  }

  /** Returns the JSON text to store. */
  public String write(Profile profile) {
    return tree(profile).toString();
  }

  /**
   * Reads a stored profile. A missing counter is 0, a missing tone unknown.
   *
   * @throws UnreadableProfile if it is not a profile
   */
  public Profile read(String stored) {
    if (!(parsed(stored) instanceof ObjectNode json)) {
      throw new UnreadableProfile("The stored profile is not a JSON object.");
    }
    var fields = new TreeMap<String, JsonNode>();
    json.properties()
        .forEach(entry -> {
          var value = entry.getValue();
          if (!OWN.contains(entry.getKey()) && !value.isNull() && !value.isObject()) {
            fields.put(entry.getKey(), value);
          }
        });
    var completed = new TreeMap<String, Instant>();
    for (var module : json.path(COMPLETED_AT).properties()) {
      completed.put(module.getKey(), instant(json.path(COMPLETED_AT), module.getKey()));
    }
    return new Profile(
        fields,
        completed,
        archived(json.path(ARCHIVED)),
        count(json, SUCCESS_COUNT),
        count(json, TOTAL_PROMPTS),
        tone(json.path(TONE)),
        instant(json, CREATED_AT),
        instant(json, UPDATED_AT));
  }

  /** Returns the profile as it is stored: only fields with a value. */
  public ObjectNode tree(Profile profile) {
    var json = JsonNodeFactory.instance.objectNode();
    profile.fields().forEach(json::set);
    withCounters(json, profile);
    withTone(json, profile);
    return withTimes(json, profile);
  }

  /**
   * Returns the profile for researchers: stored fields and, where nothing was saved, defaults. The
   * counters of prompts and the tone are part of it only if the flow has them.
   */
  public ObjectNode tree(Flow flow, Profile profile) {
    var json = JsonNodeFactory.instance.objectNode();
    flow.profile()
        .forEach(field -> profile.value(field).ifPresent(value -> json.set(field.name(), value)));
    profile.fields().forEach(json::set);
    if (flow.dailyPrompt() != null) {
      withCounters(json, profile);
    }
    if (flow.tone()) {
      withTone(json, profile);
    }
    return withTimes(json, profile);
  }

  /**
   * Returns what the modules with fields of their own collected (seed 000's {@code agent_context}):
   * under each module's name in lower case its fields that have a value and {@code completed_at}
   * once it is complete; modules without either are left out.
   */
  public static ObjectNode byModule(Flow flow, Profile profile) {
    var parts = JsonNodeFactory.instance.objectNode();
    for (var module : flow.modules().keySet()) {
      var part = JsonNodeFactory.instance.objectNode();
      flow.profile().stream()
          .filter(field -> module.equals(field.module()))
          .forEach(field -> profile.value(field).ifPresent(value -> part.set(field.name(), value)));
      var completed = profile.completed().get(module);
      if (completed != null) {
        part.put(COMPLETED_AT, completed.toString());
      }
      if (!part.isEmpty()) {
        parts.set(module.toLowerCase(Locale.ROOT), part);
      }
    }
    return parts;
  }

  /** Returns only the tone, as it is in the profile. */
  static ObjectNode tree(Tone tone) {
    var json = JsonNodeFactory.instance.objectNode();
    var tags = json.putArray("tone_tags");
    tone.tags().forEach(tags::add);
    var scores = json.putObject("tone_scores");
    tone.scores().forEach(scores::put);
    json.put("tone_version", tone.version());
    json.put("tone_last_updated_at", text(tone.lastUpdatedAt()));
    json.put("tone_update_source", tone.updateSource());
    return json;
  }

  private static void withCounters(ObjectNode json, Profile profile) {
    json.put(SUCCESS_COUNT, profile.successCount());
    json.put(TOTAL_PROMPTS, profile.totalPrompts());
  }

  private static void withTone(ObjectNode json, Profile profile) {
    json.set(TONE, tree(profile.tone()));
  }

  private static Map<String, List<Profile.Archived>> archived(JsonNode json) {
    var archived = new TreeMap<String, List<Profile.Archived>>();
    for (var field : json.properties()) {
      var values = new ArrayList<Profile.Archived>();
      field
          .getValue()
          .forEach(
              it -> values.add(new Profile.Archived(it.path(VALUE), instant(it, ARCHIVED_AT))));
      archived.put(field.getKey(), values);
    }
    return archived;
  }

  private static void withArchived(ObjectNode json, Profile profile) {
    if (!profile.archived().isEmpty()) {
      var archived = json.putObject(ARCHIVED);
      profile
          .archived()
          .forEach((field, values) -> {
            var list = archived.putArray(field);
            values.forEach(it ->
                list.addObject()
                    .put(ARCHIVED_AT, it.archivedAt().toString())
                    .set(VALUE, it.value()));
          });
    }
  }

  private static ObjectNode withTimes(ObjectNode json, Profile profile) {
    withArchived(json, profile);
    if (!profile.completed().isEmpty()) {
      var completed = json.putObject(COMPLETED_AT);
      profile.completed().forEach((module, at) -> completed.put(module, at.toString()));
    }
    json.put(CREATED_AT, profile.createdAt().toString());
    json.put(UPDATED_AT, profile.updatedAt().toString());
    return json;
  }

  private static JsonNode parsed(String stored) {
    try {
      return JSON.readTree(stored);
    } catch (JsonProcessingException e) {
      // The cause is left out because the parser's message quotes the text.
      throw new UnreadableProfile("The stored profile is not JSON.");
    }
  }

  private static Tone tone(JsonNode json) {
    if (json.isMissingNode() || json.isNull()) {
      return Tone.unknown();
    }
    var tags = new TreeSet<String>();
    json.path("tone_tags").forEach(tag -> tags.add(tag.asText()));
    var scores = new TreeMap<String, Double>();
    json.path("tone_scores")
        .properties()
        .forEach(entry -> scores.put(entry.getKey(), entry.getValue().asDouble()));
    var updatedAt = json.path("tone_last_updated_at");
    return new Tone(
        tags,
        scores,
        count(json, "tone_version"),
        updatedAt.isTextual() ? instant(json, "tone_last_updated_at") : null,
        json.path("tone_update_source").textValue());
  }

  private static int count(JsonNode json, String key) {
    var value = json.path(key);
    if (value.isMissingNode()) {
      return 0;
    }
    if (!value.canConvertToInt() || !value.isIntegralNumber()) {
      throw new UnreadableProfile("The stored profile's " + key + " is not a whole number.");
    }
    return value.intValue();
  }

  private static Instant instant(JsonNode json, String key) {
    try {
      return Instant.parse(json.path(key).asText());
    } catch (DateTimeParseException e) {
      throw new UnreadableProfile("The stored profile's " + key + " is not a timestamp.");
    }
  }

  private static @Nullable String text(@Nullable Instant instant) {
    return instant == null ? null : instant.toString();
  }
}
