package org.habitline.llm.openai;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A completion as the vendor streams it: the role, then text, refusal and calls piece by piece, the
 * reason for its end, the tokens if they were asked for, and the mark that ends it all.
 */
final class Chunks {

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  private final JsonNode completion;
  private final List<String> events = new ArrayList<>();

  private Chunks(JsonNode completion) {
    this.completion = completion;
  }

  /** Returns the pieces of an answer, or none if it is no completion: then it goes out as it is. */
  static List<String> of(Scripted scripted, JsonNode request) {
    var completion = read(scripted.body());
    if (scripted.status() != 200
        || !completion.path("object").asText().equals("chat.completion")
        || !completion.path("choices").path(0).path("message").isObject()) {
      return List.of();
    }
    var chunks = new Chunks(completion);
    chunks.cut(request.path("stream_options").path("include_usage").asBoolean(false));
    return List.copyOf(chunks.events);
  }

  private void cut(boolean withUsage) {
    var message = completion.path("choices").path(0).path("message");
    var speaks = message.path("content").isTextual();
    delta(delta -> delta.put("role", "assistant").put("content", speaks ? "" : null));
    words(message.path("reasoning_content").asText(""))
        .forEach(word -> delta(delta -> delta.put("reasoning_content", word)));
    words(message.path("content").asText(""))
        .forEach(word -> delta(delta -> delta.put("content", word)));
    for (var part : message.path("content")) {
      delta(delta -> delta.putArray("content").add(part));
    }
    if (message.path("refusal").isTextual()) {
      words(message.path("refusal").asText())
          .forEach(word -> delta(delta -> delta.put("refusal", word)));
    }
    var index = 0;
    for (var call : message.path("tool_calls")) {
      cut(call, index++);
    }
    chunk(completion.path("choices").path(0).path("finish_reason"), delta -> {});
    if (withUsage && completion.has("usage")) {
      var last = head();
      last.putArray("choices");
      last.set("usage", completion.path("usage"));
      event(last);
    }
    events.add("data: [DONE]\n\n");
  }

  private void cut(JsonNode call, int index) {
    var whole = call.path("function").path("arguments");
    delta(delta -> {
      var first = delta.putArray("tool_calls").addObject().put("index", index);
      if (call.has("id")) {
        first.set("id", call.get("id"));
      }
      first.put("type", "function");
      var function = first.putObject("function");
      function.set("name", call.path("function").path("name"));
      function.put("arguments", "");
    });
    var middle = whole.asText().length() / 2;
    List.of(whole.asText().substring(0, middle), whole.asText().substring(middle))
        .forEach(piece ->
            delta(delta ->
                delta
                    .putArray("tool_calls")
                    .addObject()
                    .put("index", index)
                    .putObject("function")
                    .put("arguments", piece)));
  }

  private static List<String> words(String text) {
    return text.isEmpty() ? List.of() : List.of(text.split("(?<=\\s)(?=\\S)"));
  }

  private void delta(Consumer<ObjectNode> filled) {
    chunk(JSON.nullNode(), filled);
  }

  private void chunk(JsonNode finish, Consumer<ObjectNode> filled) {
    var chunk = head();
    var choice = chunk.putArray("choices").addObject().put("index", 0);
    filled.accept(choice.putObject("delta"));
    choice.putNull("logprobs");
    choice.set("finish_reason", finish);
    event(chunk);
  }

  private ObjectNode head() {
    var chunk = JSON.createObjectNode();
    chunk.set("id", completion.path("id"));
    chunk.put("object", "chat.completion.chunk");
    chunk.set("created", completion.path("created"));
    chunk.set("model", completion.path("model"));
    return chunk;
  }

  private void event(ObjectNode chunk) {
    try {
      events.add("data: " + JSON.writeValueAsString(chunk) + "\n\n");
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static JsonNode read(String body) {
    try {
      return JSON.readTree(body);
    } catch (JsonProcessingException e) {
      return JSON.missingNode();
    }
  }
}
