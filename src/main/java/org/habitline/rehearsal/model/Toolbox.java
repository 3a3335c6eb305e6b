package org.habitline.rehearsal.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.habitline.llm.ToolSpec;

/**
 * Builds calls of the tools offered in a request. A call that no offered tool accepts is left out.
 */
record Toolbox(List<ToolSpec> offered) {

  private static final String TARGET_STATE = "target_state";
  private static final String ACTION = "action";
  private static final String TYPE = "type";

  boolean has(String tool) {
    return offered.stream().anyMatch(spec -> spec.name().equals(tool));
  }

  Optional<Act> save(Map<String, String> fields, List<String> tones) {
    var given = JsonNodeFactory.instance.objectNode();
    fields.forEach(given::put);
    if (!tones.isEmpty()) {
      tones.forEach(given.putArray("tone_tags")::add);
      given.put("tone_update_source", "explicit");
    }
    return act(Act.SAVE, given);
  }

  /** Returns the call that saves values of any type. */
  Optional<Act> saveValues(Map<String, JsonNode> values) {
    var given = JsonNodeFactory.instance.objectNode();
    values.forEach(given::set);
    return act(Act.SAVE, given);
  }

  /** Returns the call that shows staff an adverse event. */
  Optional<Act> flagAdverseEvent() {
    var given =
        JsonNodeFactory.instance.objectNode().put("kind", "adverse_event").put("urgency", "today");
    return act(Act.FLAG, given);
  }

  /** Returns the call of a tool with these arguments, of which there may be none. */
  Optional<Act> call(String tool, Map<String, JsonNode> values) {
    var given = JsonNodeFactory.instance.objectNode();
    values.forEach(given::set);
    return act(tool, given);
  }

  /** Returns the arguments of a tool with the schema of each; none if the tool is not offered. */
  Map<String, JsonNode> arguments(String tool) {
    var arguments = new LinkedHashMap<String, JsonNode>();
    offered.stream()
        .filter(spec -> spec.name().equals(tool))
        .flatMap(spec -> spec.schema().path("properties").properties().stream())
        .forEach(property -> arguments.put(property.getKey(), property.getValue()));
    return arguments;
  }

  /** Returns the modules that the participant may move to, in the order of the flow. */
  List<String> targets() {
    var targets = new ArrayList<String>();
    var declared = arguments(Act.MOVE).get(TARGET_STATE);
    if (declared != null) {
      declared.path("enum").forEach(module -> targets.add(module.asText()));
    }
    return targets;
  }

  Optional<Act> move(String module, String reason) {
    var given =
        JsonNodeFactory.instance.objectNode().put(TARGET_STATE, module).put("reason", reason);
    return act(Act.MOVE, given).filter(act -> act.arguments().hasNonNull(TARGET_STATE));
  }

  Optional<Act> write() {
    return act(Act.WRITE, JsonNodeFactory.instance.objectNode().put("delivery_mode", "immediate"));
  }

  /**
   * Returns the call that sets up the daily prompt. Without a time, the tool uses the usual time.
   *
   * @param zone the time zone they named, or empty to leave it to the scheduler
   */
  Optional<Act> schedule(DailyTime time, Optional<String> zone) {
    var given = JsonNodeFactory.instance.objectNode().put(ACTION, "create").put(TYPE, time.type());
    if (time.end() != null) {
      given.put("random_start_time", String.valueOf(time.start()));
      given.put("random_end_time", time.end().toString());
    } else if (time.start() != null) {
      given.put("fixed_time", time.start().toString());
    }
    zone.ifPresent(id -> given.put("timezone", id));
    return act(Act.SCHEDULE, given)
        .filter(act -> act.arguments().hasNonNull(ACTION) && act.arguments().hasNonNull(TYPE));
  }

  Optional<Act> unschedule(String id) {
    var given = JsonNodeFactory.instance.objectNode().put(ACTION, "delete").put("schedule_id", id);
    return act(Act.SCHEDULE, given).filter(act -> act.arguments().hasNonNull(ACTION));
  }

  /**
   * Returns the call with every argument that the tool's schema declares, null for those not given,
   * or empty if the tool is not offered or accepts none of the given arguments.
   */
  private Optional<Act> act(String tool, ObjectNode given) {
    return offered.stream()
        .filter(spec -> spec.name().equals(tool))
        .findFirst()
        .flatMap(spec -> {
          var properties = spec.schema().path("properties");
          var fitting = JsonNodeFactory.instance.objectNode();
          properties
              .properties()
              .forEach(property ->
                  fitting.set(
                      property.getKey(),
                      fitting(property.getValue(), given.path(property.getKey()))));
          var taken =
              given.isEmpty()
                  || given.properties().stream()
                      .anyMatch(value -> fitting.hasNonNull(value.getKey()));
          return taken ? Optional.of(new Act(tool, fitting, true)) : Optional.empty();
        });
  }

  private static JsonNode fitting(JsonNode declared, JsonNode value) {
    if (value.isArray()) {
      var kept = JsonNodeFactory.instance.arrayNode();
      value.forEach(item -> {
        if (allowed(declared.path("items"), item)) {
          kept.add(item);
        }
      });
      return kept;
    }
    return value.isMissingNode() || !allowed(declared, value)
        ? JsonNodeFactory.instance.nullNode()
        : value;
  }

  private static boolean allowed(JsonNode declared, JsonNode value) {
    var values = declared.path("enum");
    if (!values.isArray()) {
      return true;
    }
    for (var one : values) {
      if (one.equals(value)) {
        return true;
      }
    }
    return false;
  }
}
