package org.habitline.llm.rehearsal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.ToolSpec;

/**
 * What the script sees of a request, which is what any model sees: the status message, the history,
 * the new texts, and what its tools answered in this turn.
 */
record Seen(
    String prompt,
    String status,
    Map<String, String> profile,
    List<String> saidBefore,
    List<String> news,
    Map<String, JsonNode> results,
    Map<String, ToolSpec> tools,
    boolean mustSpeak) {

  private static final JsonMapper JSON = new JsonMapper();

  static Seen of(ModelRequest request) {
    var messages = request.messages();
    var firstCall = firstCall(messages);
    var start = firstOfNews(messages, firstCall);
    var tools = new LinkedHashMap<String, ToolSpec>();
    request.tools().forEach(tool -> tools.put(tool.name(), tool));
    var system = texts(messages, ModelMessage.SystemText.class);
    return new Seen(
        system.isEmpty() ? "" : system.getFirst(),
        String.join("\n", system),
        profile(String.join("\n", system)),
        texts(messages.subList(0, start), ModelMessage.AssistantText.class),
        texts(messages.subList(start, firstCall), ModelMessage.UserText.class),
        results(messages.subList(firstCall, messages.size())),
        tools,
        request.mustSpeak());
  }

  private static int firstCall(List<ModelMessage> messages) {
    for (int i = 0; i < messages.size(); i++) {
      if (messages.get(i) instanceof ModelMessage.AssistantText said
          && !said.toolCalls().isEmpty()) {
        return i;
      }
    }
    return messages.size();
  }

  /** The new texts are the user messages after the last thing that was said. */
  private static int firstOfNews(List<ModelMessage> messages, int end) {
    var start = end;
    while (start > 0 && !(messages.get(start - 1) instanceof ModelMessage.AssistantText)) {
      start--;
    }
    return start;
  }

  private static List<String> texts(
      List<ModelMessage> messages, Class<? extends ModelMessage> kind) {
    var texts = new ArrayList<String>();
    for (var message : messages) {
      var content = message.content();
      if (kind.isInstance(message) && content != null) {
        texts.add(content);
      }
    }
    return texts;
  }

  private static Map<String, JsonNode> results(List<ModelMessage> messages) {
    var names = new HashMap<String, String>();
    var results = new LinkedHashMap<String, JsonNode>();
    for (var message : messages) {
      switch (message) {
        case ModelMessage.AssistantText said ->
            said.toolCalls().forEach(call -> names.put(call.id(), call.name()));
        case ModelMessage.ToolResult result ->
            results.put(names.getOrDefault(result.toolCallId(), ""), json(result.content()));
        default -> {}
      }
    }
    return results;
  }

  private static Map<String, String> profile(String status) {
    var profile = new LinkedHashMap<String, String>();
    line(status, "Profile: ")
        .map(Seen::json)
        .ifPresent(node ->
            node.properties()
                .forEach(entry -> profile.put(entry.getKey(), entry.getValue().asText())));
    return profile;
  }

  private static Optional<String> line(String status, String label) {
    return status
        .lines()
        .filter(line -> line.startsWith(label))
        .map(line -> line.substring(label.length()))
        .findFirst();
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      return JSON.createObjectNode();
    }
  }

  String module() {
    return line(status, "Module: ").orElse("");
  }

  String lastHabitPrompt() {
    return line(status, "Last habit prompt: ").filter(prompt -> !prompt.equals("none")).orElse("");
  }

  /** The prompt generator's request names no module and offers no tools. */
  boolean asksForAPrompt() {
    return module().isEmpty() && tools.isEmpty();
  }

  String lastSaid() {
    return saidBefore.isEmpty() ? "" : saidBefore.getLast();
  }

  boolean wasAsked(Question question) {
    return saidBefore.stream().anyMatch(said -> said.endsWith(question.words()));
  }

  boolean called(String tool) {
    return results.containsKey(tool);
  }

  boolean failed(String tool) {
    var result = results.get(tool);
    return result != null && result.path("status").asText().equals("error");
  }

  boolean offers(String tool) {
    return !mustSpeak && tools.containsKey(tool);
  }

  /** The text the flow wants sent in a crisis, which stands in the prompt. */
  String resources() {
    var mark = "only with this: ";
    var at = prompt.lastIndexOf(mark);
    return at < 0
        ? "I can't help with a crisis, but people can: please call your local emergency number."
        : prompt.substring(at + mark.length()).strip();
  }
}
