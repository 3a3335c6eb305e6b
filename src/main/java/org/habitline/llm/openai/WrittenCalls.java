package org.habitline.llm.openai;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.ToolSpec;
import org.jspecify.annotations.Nullable;

/**
 * Calls that a server left in the text because it does not read its model's way of writing them. A
 * call of a tool that was offered is a call like any other; whatever else is written so is neither
 * a call nor words for the participant.
 *
 * @param text the words beside the calls, if there are any
 * @param calls in the form of a completion's {@code tool_calls}
 */
record WrittenCalls(@Nullable String text, JsonNode calls) {

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();
  private static final Pattern FENCE = Pattern.compile("```\\w*\\s(.*)```", Pattern.DOTALL);

  /** Returns the calls in a text, or empty if there are none of tools that were offered. */
  static Optional<WrittenCalls> of(Spoken spoken, ModelRequest request) {
    var offered = request.tools().stream().map(ToolSpec::name).collect(Collectors.toSet());
    if (offered.isEmpty()) {
      return Optional.empty();
    }
    var calls = JSON.createArrayNode();
    for (var written : spoken.calls()) {
      var body = data(written.body()).orElse(JSON.missingNode());
      if (written.name() == null) {
        add(calls, body, offered);
      } else if (offered.contains(written.name()) && body.isObject()) {
        add(calls, written.name(), body);
      }
    }
    if (!calls.isEmpty()) {
      var beside = spoken.words().isBlank() ? null : spoken.words();
      return Optional.of(new WrittenCalls(beside, calls));
    }
    data(spoken.words()).ifPresent(body -> add(calls, body, offered));
    return calls.isEmpty() ? Optional.empty() : Optional.of(new WrittenCalls(null, calls));
  }

  /** One call, or a list of them. */
  private static void add(ArrayNode calls, JsonNode body, Set<String> offered) {
    if (body.isArray()) {
      body.forEach(one -> add(calls, one, offered));
      return;
    }
    var named = body.has("function") ? body.path("function") : body;
    var name = named.isTextual() ? named.asText() : named.path("name").asText("");
    var holder = named.isObject() ? named : body;
    var arguments = holder.has("arguments") ? holder.path("arguments") : holder.path("parameters");
    if (offered.contains(name) && (arguments.isObject() || arguments.isTextual())) {
      add(calls, name, arguments);
    }
  }

  private static void add(ArrayNode calls, String name, JsonNode arguments) {
    calls.addObject().putObject("function").put("name", name).set("arguments", arguments);
  }

  /** Whether a text is nothing but a JSON object or array, with or without a fence around it. */
  static boolean isData(String text) {
    return data(text).isPresent();
  }

  private static Optional<JsonNode> data(String text) {
    var fenced = FENCE.matcher(text.strip());
    var bare = fenced.matches() ? fenced.group(1).strip() : text.strip();
    if (!bare.startsWith("{") && !bare.startsWith("[")) {
      return Optional.empty();
    }
    try {
      return Optional.of(JSON.readTree(bare)).filter(JsonNode::isContainerNode);
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }
}
