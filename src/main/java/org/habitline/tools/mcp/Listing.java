package org.habitline.tools.mcp;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.habitline.flows.McpServer;
import org.habitline.llm.ToolSpec;

/**
 * The tools of a server that a flow may use, as the server described them last.
 *
 * @param specs what the model is told, by the server's name of the tool
 * @param faults why a tool that the server has cannot be offered, by its name
 */
record Listing(Map<String, ToolSpec> specs, Map<String, String> faults) {

  static final Listing NONE = new Listing(Map.of(), Map.of());

  /** The longest schema that is shown to the model, in characters of JSON. */
  static final int LONGEST_SCHEMA = 16_000;

  /** The longest description that model servers accept, in characters. */
  static final int LONGEST_DESCRIPTION = 1_000;

  private static final JsonMapper JSON = new JsonMapper();

  static Listing of(McpServer server, List<Tool> tools) {
    var specs = new LinkedHashMap<String, ToolSpec>();
    var faults = new LinkedHashMap<String, String>();
    for (var tool : tools) {
      if (server.tools().contains(tool.name())) {
        var schema = schema(tool);
        var fault = fault(schema);
        if (fault.isEmpty()) {
          faults.remove(tool.name());
          specs.put(
              tool.name(),
              new ToolSpec(server.shown(tool.name()), description(tool), schema, true));
        } else {
          faults.put(tool.name(), fault);
        }
      }
    }
    return new Listing(Map.copyOf(specs), Map.copyOf(faults));
  }

  private static ObjectNode schema(Tool tool) {
    var schema =
        tool.inputSchema() == null
            ? JSON.createObjectNode()
            : (ObjectNode) JSON.valueToTree(tool.inputSchema());
    schema.remove("$schema");
    // Model servers refuse an object schema without it.
    if (!schema.has("properties")) {
      schema.putObject("properties");
    }
    return schema;
  }

  private static String fault(ObjectNode schema) {
    if (!schema.path("type").asText().equals("object") || !schema.path("properties").isObject()) {
      return "its arguments are not described as a JSON object";
    }
    return schema.toString().length() > LONGEST_SCHEMA
        ? "the description of its arguments is longer than " + LONGEST_SCHEMA + " characters"
        : "";
  }

  private static String description(Tool tool) {
    var text =
        Objects.requireNonNullElse(
            tool.description(), Objects.requireNonNullElse(tool.title(), tool.name()));
    var whole = Answer.bounded(text).strip();
    return whole.codePointCount(0, whole.length()) <= LONGEST_DESCRIPTION
        ? whole
        : whole.substring(0, whole.offsetByCodePoints(0, LONGEST_DESCRIPTION));
  }

  /** Returns the names of the tools that another listing describes otherwise. */
  List<String> changedIn(Listing later) {
    var changed = new ArrayList<String>();
    specs.forEach((name, spec) -> {
      var other = later.specs().get(name);
      if (other != null && !other.equals(spec)) {
        changed.add(name);
      }
    });
    return changed;
  }
}
