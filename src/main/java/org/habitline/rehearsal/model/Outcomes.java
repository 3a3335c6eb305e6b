package org.habitline.rehearsal.model;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelRequest;

/** The results of this turn's calls so far, in order. */
record Outcomes(List<Outcome> all) {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** The result of one call. A result that is not JSON, or has no status, counts as a failure. */
  record Outcome(String tool, JsonNode result) {

    boolean good() {
      var status = result.path("status").asText();
      return status.equals("success") || status.equals("noop");
    }
  }

  static Outcomes of(ModelRequest request) {
    var names = new HashMap<String, String>();
    var all = new ArrayList<Outcome>();
    for (var message : request.messages()) {
      if (message instanceof ModelMessage.AssistantText asked) {
        asked.toolCalls().forEach(call -> names.put(call.id(), call.name()));
      } else if (message instanceof ModelMessage.ToolResult result) {
        all.add(new Outcome(names.getOrDefault(result.toolCallId(), ""), read(result.content())));
      }
    }
    return new Outcomes(List.copyOf(all));
  }

  boolean did(String tool) {
    return all.stream().anyMatch(outcome -> outcome.tool().equals(tool) && outcome.good());
  }

  /** Returns the newest result of a tool, or empty if it was not called. */
  Optional<Outcome> newest(String tool) {
    return all.stream()
        .filter(outcome -> outcome.tool().equals(tool))
        .reduce((earlier, later) -> later);
  }

  /** Returns the habit prompt that was written in this turn, if any. */
  Optional<String> prompt() {
    return all.stream()
        .filter(outcome -> outcome.tool().equals(Act.WRITE) && outcome.good())
        .map(outcome -> outcome.result().path("prompt").asText("").strip())
        .filter(text -> !text.isEmpty())
        .findFirst();
  }

  private static JsonNode read(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException e) {
      return MissingNode.getInstance();
    }
  }
}
