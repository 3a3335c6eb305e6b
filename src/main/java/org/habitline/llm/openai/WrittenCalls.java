package org.habitline.llm.openai;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
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

  /** One argument, as Qwen, Anthropic's models, DeepSeek and GLM write it. */
  private static final Pattern ARGUMENT =
      Pattern.compile(
          "<[^<>]{0,20}parameter(?:=|\\s+name=[\"']?)(?<name>[\\w-]{1,64})[^<>]*>(?<value>.*?)</parameter>"
              + "|<arg_key>(?<key>[^<>]{1,64})</arg_key>\\s*<arg_value>(?<text>.*?)</arg_value>",
          Pattern.DOTALL);

  /** Kimi writes {@code functions.NAME:0}. */
  private static final Pattern AROUND_NAME = Pattern.compile("\\A\\s*functions\\.|:\\d+\\s*\\z");

  /** Returns the calls in a text, or empty if there are none of tools that were offered. */
  static Optional<WrittenCalls> of(Spoken spoken, ModelRequest request) {
    var offered =
        request.tools().stream().collect(Collectors.toMap(ToolSpec::name, Function.identity()));
    if (offered.isEmpty()) {
      return Optional.empty();
    }
    var calls = JSON.createArrayNode();
    spoken.calls().forEach(written -> add(calls, written, offered));
    if (!calls.isEmpty()) {
      var beside = spoken.words().isBlank() ? null : spoken.words();
      return Optional.of(new WrittenCalls(beside, calls));
    }
    data(spoken.words()).ifPresent(body -> add(calls, body, offered));
    return calls.isEmpty() ? Optional.empty() : Optional.of(new WrittenCalls(null, calls));
  }

  private static void add(ArrayNode calls, Spoken.Written written, Map<String, ToolSpec> offered) {
    var body = written.body();
    if (written.name() != null) {
      add(calls, written.name(), body, offered);
      return;
    }
    var data = data(body);
    if (data.isPresent()) {
      add(calls, data.get(), offered);
    } else {
      var end = endOfName(body);
      if (end < body.length()) {
        add(calls, body.substring(0, end), body.substring(end), offered);
      }
    }
  }

  /** The name of the tool ends with its line, or where the arguments begin. */
  private static int endOfName(String body) {
    var end = 0;
    while (end < body.length() && "\n<{".indexOf(body.charAt(end)) < 0) {
      end++;
    }
    return end;
  }

  private static void add(
      ArrayNode calls, String given, String body, Map<String, ToolSpec> offered) {
    var name = AROUND_NAME.matcher(given).replaceAll("").strip();
    var tool = offered.get(name);
    if (tool != null) {
      arguments(tool, body).ifPresent(arguments -> add(calls, name, arguments));
    }
  }

  /** Returns the arguments as an object, or empty if the text is neither JSON nor tags. */
  private static Optional<JsonNode> arguments(ToolSpec tool, String body) {
    var data = data(body);
    if (data.isPresent()) {
      return data.filter(JsonNode::isObject);
    }
    var tagged = JSON.createObjectNode();
    var rest =
        ARGUMENT
            .matcher(body)
            .replaceAll(found -> {
              var isNamed = found.group("name") != null;
              var name = isNamed ? found.group("name") : found.group("key").strip();
              var text = isNamed ? found.group("value") : found.group("text");
              tagged.set(name, value(tool, name, text.strip()));
              return "";
            });
    return rest.isBlank() ? Optional.of(tagged) : Optional.empty();
  }

  /** A tag does not say whether it holds a text or a number: the tool's schema does. */
  private static JsonNode value(ToolSpec tool, String name, String text) {
    var types = new HashSet<String>();
    var type = tool.schema().path("properties").path(name).path("type");
    (type.isArray() ? type : JSON.createArrayNode().add(type))
        .forEach(one -> types.add(one.asText()));
    if (types.contains("string")) {
      return text.equals("null") && types.contains("null")
          ? JSON.nullNode()
          : JSON.getNodeFactory().textNode(text);
    }
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      return JSON.getNodeFactory().textNode(text);
    }
  }

  /** One call, or a list of them. */
  private static void add(ArrayNode calls, JsonNode body, Map<String, ToolSpec> offered) {
    if (body.isArray()) {
      body.forEach(one -> add(calls, one, offered));
      return;
    }
    var named = body.has("function") ? body.path("function") : body;
    var holder = named.isObject() ? named : body;
    var name =
        named.isTextual()
            ? named.asText()
            : named.path("name").asText(named.path("tool_name").asText(""));
    var arguments = holder.has("arguments") ? holder.path("arguments") : holder.path("parameters");
    if (offered.containsKey(name) && (arguments.isObject() || arguments.isTextual())) {
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
