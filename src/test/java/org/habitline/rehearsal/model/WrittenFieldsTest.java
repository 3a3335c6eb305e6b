package org.habitline.rehearsal.model;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.habitline.Patience;
import org.habitline.llm.Deadline;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.Section;
import org.habitline.llm.ToolSpec;
import org.junit.jupiter.api.Test;

/** A module that saves field by field and exports at the end (seed 002), on a map of values. */
class WrittenFieldsTest {

  private static final JsonMapper JSON = new JsonMapper();
  private static final List<String> REQUIRED = List.of("employee_name", "starter_kit");

  private final Map<String, String> values = new TreeMap<>();
  private final List<ModelMessage> history = new ArrayList<>();
  private final List<String> calls = new ArrayList<>();

  private static ToolSpec tool(String name, String properties) {
    return new ToolSpec(name, "", read("{\"type\":\"object\",\"properties\":" + properties + "}"));
  }

  private static ObjectNode read(String json) {
    try {
      return (ObjectNode) JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(json, e);
    }
  }

  private String reply(String text) {
    var messages = new ArrayList<ModelMessage>();
    var missing = REQUIRED.stream().filter(field -> !values.containsKey(field)).toList();
    messages.add(
        Section.STATUS.holding(
            "Module: ONBOARDING\nMissing: "
                + (missing.isEmpty() ? "nothing" : String.join(", ", missing))));
    messages.addAll(history);
    messages.add(new ModelMessage.UserText(text));
    while (true) {
      var answer =
          new RehearsalModel()
              .answer(
                  new ModelRequest(
                      null,
                      null,
                      null,
                      List.copyOf(messages),
                      List.of(
                          tool(
                              "write_data",
                              "{\"field_name\":{\"type\":\"string\",\"enum\":[\"employee_name\",\"starter_kit\"]},"
                                  + "\"value\":{\"type\":\"string\"}}"),
                          tool("read_data", "{\"field_names\":{\"type\":[\"array\",\"null\"]}}"),
                          tool(
                              "export_data",
                              "{\"confirmation_message\":{\"type\":[\"string\",\"null\"]}}")),
                      false,
                      false),
                  Deadline.in(Patience.LONG));
      if (answer instanceof ModelReply.Says says) {
        history.add(new ModelMessage.UserText(text));
        history.add(new ModelMessage.AssistantText(says.text(), List.of()));
        return says.text();
      }
      var asked = ((ModelReply.CallsTools) answer).calls();
      messages.add(new ModelMessage.AssistantText(null, asked));
      asked.forEach(call -> {
        calls.add(call.name() + " " + call.arguments());
        messages.add(
            new ModelMessage.ToolResult(call.id(), run(call.name(), read(call.arguments()))));
      });
    }
  }

  private String run(String tool, ObjectNode arguments) {
    if (tool.equals("export_data")) {
      return "{\"status\":\"success\",\"message\":\"Onboarding data exported successfully\"}";
    }
    if (tool.equals("read_data")) {
      var read = JSON.createObjectNode().put("status", "success").putNull("allergies");
      values.forEach(read::put);
      return read.toString();
    }
    var value = arguments.path("value").asText();
    if (value.contains("laptop")) {
      return "{\"status\":\"error\",\"message\":\"Expected mouse, keyboard or backpack.\"}";
    }
    values.put(arguments.path("field_name").asText(), value);
    return "{\"status\":\"success\"}";
  }

  @Test
  void fieldsAreWrittenOneByOneReadBackAndExportedOnceTheParticipantAgrees() {
    assertThat(reply("hello")).endsWith("Please tell me: employee name.");
    assertThat(reply("Ada Example")).isEqualTo("Noted. Please tell me: starter kit.");
    assertThat(reply("a laptop"))
        .isEqualTo(
            "I could not note that. Expected mouse, keyboard or backpack. Please tell me: starter"
                + " kit.");
    assertThat(calls).noneMatch(call -> call.startsWith("read_data"));
    assertThat(reply("a mouse"))
        .isEqualTo(
            "Noted. This is what I have: employee name Ada Example, starter kit a mouse. Shall I"
                + " finish?");
    assertThat(calls).last().isEqualTo("read_data {\"field_names\":null}");
    assertThat(calls).noneMatch(call -> call.startsWith("export_data"));
    assertThat(reply("my starter kit is keyboard"))
        .endsWith("starter kit keyboard. Shall I finish?");
    assertThat(reply("Yes, finalize the onboarding"))
        .isEqualTo("All done. Onboarding data exported successfully");

    assertThat(values).containsEntry("starter_kit", "keyboard");
    assertThat(calls)
        .first()
        .isEqualTo("write_data {\"field_name\":\"employee_name\",\"value\":\"Ada Example\"}");
    assertThat(calls)
        .last()
        .asString()
        .startsWith("export_data {\"confirmation_message\":\"")
        .contains("finalize the onboarding");
  }
}
