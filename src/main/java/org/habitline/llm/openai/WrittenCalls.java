package org.habitline.llm.openai;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.IOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.ToolSpec;
import org.jspecify.annotations.Nullable;

/**
 * Calls that a server left in the text because it does not parse its model's format. A call of an
 * offered tool is treated like any other call; calls of other tools are dropped and not shown to
 * the participant.
 *
 * @param text the text beside the calls, or {@code null} if there is none
 * @param calls the calls in the form of a completion's {@code tool_calls}
 */
record WrittenCalls(@Nullable String text, JsonNode calls) {

  /** Gemma writes the names of arguments without quotes. */
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(JsonReadFeature.ALLOW_UNQUOTED_FIELD_NAMES)
          .build();

  private static final Pattern FENCE = Pattern.compile("```\\w*\\s(.*)```", Pattern.DOTALL);

  private static final Pattern FENCE_END = Pattern.compile("^\\s*+```");
  private static final Pattern CALL =
      Pattern.compile("(?:```\\w*\\s*)?(?<json>\\{(?=\\s*\")|\\[(?=\\s*\\{))");

  /** Matches a beginning that the next piece may complete to a call. */
  private static final Pattern MAYBE_CALL =
      Pattern.compile("```|`{1,2}\\z|\\{\\s*(?:\"|\\z)|\\[\\s*(?:\\{|\\z)");

  /** Matches an argument's value as Llama writes it. */
  private static final String VALUE =
      "(?:\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+\"|'[^'\\\\]*+(?:\\\\.[^'\\\\]*+)*+'|None|True|False|-?[0-9.]++)";

  private static final String ARGUMENTS =
      "(?:\\w++\\s*+=\\s*+" + VALUE + "(?:\\s*+,\\s*+\\w++\\s*+=\\s*+" + VALUE + ")*+)?";
  private static final Pattern PYTHON_ARGUMENT =
      Pattern.compile("(?<!\\w)(?<key>\\w++)\\s*+=\\s*+(?<value>" + VALUE + ")");
  private static final Pattern PYTHON_CALL =
      Pattern.compile(
          "(?<!\\w)(?<name>[A-Za-z_]\\w*+)\\(\\s*+(?<arguments>" + ARGUMENTS + ")\\s*+\\)");
  private static final Pattern PYTHON =
      Pattern.compile(
          "\\[\\s*+[A-Za-z_]\\w*+\\(\\s*+"
              + ARGUMENTS
              + "\\s*+\\)(?:\\s*+,\\s*+[A-Za-z_]\\w*+\\(\\s*+"
              + ARGUMENTS
              + "\\s*+\\))*+\\s*+]");

  /** Reads one value and ignores the text after it. */
  private static final ObjectReader FIRST =
      JSON.reader().without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  /** Matches one argument as Qwen, Anthropic's models, DeepSeek and GLM write it. */
  private static final Pattern ARGUMENT =
      Pattern.compile(
          "<[^<>]{0,20}parameter(?:=|\\s+name=[\"']?)(?<name>[\\w-]{1,64})[^<>]*>(?<value>.*?)</parameter>"
              + "|<arg_key>(?<key>[^<>]{1,64})</arg_key>\\s*<arg_value>(?<text>.*?)</arg_value>",
          Pattern.DOTALL);

  /**
   * Matches what surrounds a tool's name: Kimi writes {@code functions.NAME:0}, Gemma {@code
   * call:NAME}.
   */
  private static final Pattern AROUND_NAME =
      Pattern.compile("\\A\\s*(?:functions\\.|call:)|:\\d+\\s*\\z");

  /** Returns the calls of offered tools in a text, or empty if there are none. */
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
    var words = cut(spoken.words(), body -> add(calls, body, offered));
    if (calls.isEmpty() && isPython(words)) {
      addPython(calls, words, offered);
      words = "";
    }
    return calls.isEmpty()
        ? Optional.empty()
        : Optional.of(new WrittenCalls(words.isBlank() ? null : words, calls));
  }

  /** Returns the text without any calls in it, whatever tools they name. */
  static String without(String words) {
    return isPython(words) ? "" : cut(words, call -> {});
  }

  /**
   * Returns whether a text consists only of calls as Llama writes them, such as {@code
   * [look(when="now")]}.
   */
  static boolean isPython(String text) {
    return PYTHON.matcher(text.strip()).matches();
  }

  private static void addPython(ArrayNode calls, String text, Map<String, ToolSpec> offered) {
    var call = PYTHON_CALL.matcher(text);
    while (call.find()) {
      var tool = offered.get(call.group("name"));
      if (tool != null) {
        var arguments = JSON.createObjectNode();
        var one = PYTHON_ARGUMENT.matcher(call.group("arguments"));
        while (one.find()) {
          arguments.set(one.group("key"), python(tool, one.group("key"), one.group("value")));
        }
        add(calls, tool.name(), arguments);
      }
    }
  }

  private static JsonNode python(ToolSpec tool, String key, String written) {
    return switch (written) {
      case "None" -> JSON.nullNode();
      case "True" -> JSON.getNodeFactory().booleanNode(true);
      case "False" -> JSON.getNodeFactory().booleanNode(false);
      default ->
          "\"'".indexOf(written.charAt(0)) < 0
              ? value(tool, key, written)
              : JSON.getNodeFactory()
                  .textNode(written.substring(1, written.length() - 1).replaceAll("\\\\(.)", "$1"));
    };
  }

  /** Returns the text up to the first place where a call may begin. */
  static String before(String words) {
    var start = MAYBE_CALL.matcher(words);
    return start.find() ? words.substring(0, start.start()) : words;
  }

  private static String cut(String words, Consumer<JsonNode> calls) {
    var start = CALL.matcher(words);
    var rest = new StringBuilder();
    var from = 0;
    var at = 0;
    while (start.find(at)) {
      var json = start.start("json");
      var length = lengthOfCall(words.substring(json), calls);
      if (length == 0) {
        at = json + 1;
      } else {
        rest.append(words, from, start.start());
        from = json + length;
        var fence = FENCE_END.matcher(words).region(from, words.length());
        from = fence.lookingAt() ? fence.end() : from;
        at = from;
      }
    }
    return from == 0 ? words : rest.append(words.substring(from)).toString().strip();
  }

  /**
   * Returns the length in characters of the call at the beginning of a text, or 0 if there is none.
   */
  private static int lengthOfCall(String text, Consumer<JsonNode> calls) {
    try (var parser = JSON.createParser(text)) {
      JsonNode tree = FIRST.readTree(parser);
      if (!isCall(tree)) {
        return 0;
      }
      calls.accept(tree);
      return (int) parser.currentLocation().getCharOffset();
    } catch (IOException e) {
      return 0;
    }
  }

  private static boolean isCall(JsonNode body) {
    if (body.isArray()) {
      return !body.isEmpty()
          && StreamSupport.stream(body.spliterator(), false).allMatch(WrittenCalls::isCall);
    }
    var arguments = argumentsOf(body);
    return !nameOf(body).isEmpty() && (arguments.isObject() || arguments.isTextual());
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

  /** Returns where the tool's name ends: at the end of its line, or where the arguments begin. */
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

  /**
   * Returns an argument's value with the type that the tool's schema gives, because a tag does not
   * say whether it holds a string or a number.
   */
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

  /** Adds the calls of offered tools from one call or a list of calls. */
  private static void add(ArrayNode calls, JsonNode body, Map<String, ToolSpec> offered) {
    if (body.isArray()) {
      body.forEach(one -> add(calls, one, offered));
      return;
    }
    var name = nameOf(body);
    if (offered.containsKey(name) && isCall(body)) {
      add(calls, name, argumentsOf(body));
    }
  }

  /**
   * Returns the object that holds a call's name and arguments; in some forms it is {@code
   * function}.
   */
  private static JsonNode holder(JsonNode body) {
    return body.path("function").isObject() ? body.path("function") : body;
  }

  private static String nameOf(JsonNode body) {
    var holder = holder(body);
    return Stream.of("name", "tool_name", "function")
        .map(holder::path)
        .filter(JsonNode::isTextual)
        .map(JsonNode::asText)
        .findFirst()
        .orElse("");
  }

  private static JsonNode argumentsOf(JsonNode body) {
    var holder = holder(body);
    return holder.has("arguments") ? holder.path("arguments") : holder.path("parameters");
  }

  private static void add(ArrayNode calls, String name, JsonNode arguments) {
    calls.addObject().putObject("function").put("name", name).set("arguments", arguments);
  }

  /**
   * Returns whether a text consists only of calls or JSON, with or without a code fence around it.
   */
  static boolean isData(String text) {
    return isPython(text) || data(text).isPresent();
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
