package org.habitline.llm.check;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelMessage.SystemText;
import org.habitline.llm.ModelMessage.UserText;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.ToolSpec;
import org.jspecify.annotations.Nullable;

/** The requests of a check. They have the parts that a turn's requests have. */
final class Requests {

  static final String SAVE_WALK = "save_walk";

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final List<String> DAYS = List.of("monday", "tuesday", "wednesday", "friday");

  private Requests() {}

  /** Returns a request without tools. */
  static ModelRequest plain(ModelMessage... messages) {
    return new ModelRequest(null, null, null, List.of(messages), List.of(), false, null);
  }

  static ModelRequest plain(String system, String text) {
    return plain(new SystemText(system), new UserText(text));
  }

  /** Returns a request with the parameters that a flow's module may set. */
  static ModelRequest tuned(String system, String text, double temperature, int maxTokens) {
    return new ModelRequest(
        null,
        temperature,
        maxTokens,
        List.of(new SystemText(system), new UserText(text)),
        List.of(),
        false,
        null);
  }

  /** Returns a request with the tool {@value #SAVE_WALK}. */
  static ModelRequest withTool(
      List<ModelMessage> messages, boolean mustSpeak, @Nullable Boolean parallel) {
    return new ModelRequest(
        null, null, null, List.copyOf(messages), List.of(saveWalk()), mustSpeak, parallel);
  }

  /** Returns the arguments of a call without a note. */
  static ObjectNode walk(String day, int minutes) {
    return NODES.objectNode().put("day", day).put("minutes", minutes).putNull("note");
  }

  private static ToolSpec saveWalk() {
    var schema = NODES.objectNode().put("type", "object");
    var properties = schema.putObject("properties");
    var day = properties.putObject("day");
    day.put("type", "string").put("description", "The day of the walk.");
    DAYS.forEach(day.putArray("enum")::add);
    properties
        .putObject("minutes")
        .put("type", "integer")
        .put("description", "How many minutes the walk took.");
    var note = properties.putObject("note");
    note.putArray("type").add("string").add("null");
    note.put("description", "What the participant noticed, or null if they noticed nothing.");
    var required = schema.putArray("required");
    properties.fieldNames().forEachRemaining(required::add);
    schema.put("additionalProperties", false);
    return new ToolSpec(SAVE_WALK, "Saves one walk.", schema);
  }
}
