package org.habitline.llm.openai;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The rules by which OpenAI's Chat Completions endpoint answers 400, and a few more where accepting
 * would hide a mistake of ours (repeated tool names, unknown parameters).
 */
final class VendorRules {

  private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9_-]{1,64}");
  private static final int LONGEST_CALL_ID = 40;

  private static final Set<String> PARAMETERS =
      Set.of(
          "model",
          "messages",
          "tools",
          "tool_choice",
          "parallel_tool_calls",
          "temperature",
          "max_tokens",
          "max_completion_tokens",
          "n",
          "stream",
          "stream_options",
          "seed",
          "stop",
          "top_p",
          "user",
          "store",
          "metadata",
          "response_format",
          "reasoning_effort");

  /** Keywords of JSON Schema that structured outputs do not know. */
  private static final List<String> NOT_PERMITTED =
      List.of(
          "allOf",
          "oneOf",
          "not",
          "if",
          "then",
          "else",
          "dependentRequired",
          "dependentSchemas",
          "patternProperties",
          "minLength",
          "maxLength",
          "uniqueItems",
          "default");

  /** A broken rule, in the vendor's manner of speaking. */
  static final class Broken extends RuntimeException {
    Broken(String sentence) {
      super(sentence);
    }
  }

  private VendorRules() {}

  /** Returns what is wrong with a request, or empty if the vendor would take it. */
  static Optional<String> broken(JsonNode body) {
    try {
      check(body);
      return Optional.empty();
    } catch (Broken e) {
      return Optional.ofNullable(e.getMessage());
    }
  }

  private static void check(JsonNode body) {
    require(body.isObject(), "We could not parse the JSON body of your request.");
    body.fieldNames()
        .forEachRemaining(name ->
            require(PARAMETERS.contains(name), "Unrecognized request argument supplied: " + name));
    require(
        body.path("model").isTextual() && !body.path("model").asText().isBlank(),
        "you must provide a model parameter");
    require(
        !body.has("stream_options") || body.path("stream").asBoolean(false),
        "The 'stream_options' parameter is only allowed when 'stream' is enabled.");
    number(body, "temperature", 0, 2);
    number(body, "max_tokens", 1, Integer.MAX_VALUE);
    number(body, "max_completion_tokens", 1, Integer.MAX_VALUE);
    require(
        !(body.has("max_tokens") && body.has("max_completion_tokens")),
        "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.");
    tools(body);
    messages(body.path("messages"));
  }

  private static void number(JsonNode body, String name, long lowest, long highest) {
    if (body.has(name)) {
      JsonNode value = body.get(name);
      require(
          value.isNumber() && value.asDouble() >= lowest && value.asDouble() <= highest,
          "Invalid value for '" + name + "': expected a number from " + lowest + " to " + highest);
    }
  }

  private static void tools(JsonNode body) {
    if (!body.has("tools")) {
      for (String name : List.of("tool_choice", "parallel_tool_calls")) {
        require(
            !body.has(name),
            "Invalid value for '"
                + name
                + "': '"
                + name
                + "' is only allowed when 'tools' are"
                + " specified.");
      }
      return;
    }
    JsonNode tools = body.get("tools");
    require(tools.isArray() && !tools.isEmpty(), "[] is too short - 'tools'");
    Set<String> names = new HashSet<>();
    for (JsonNode tool : tools) {
      require(tool.path("type").asText().equals("function"), "Invalid value: 'tools[].type'");
      JsonNode function = tool.path("function");
      String name = function.path("name").asText();
      require(
          NAME.matcher(name).matches(),
          "Invalid 'tools[].function.name': string does not match pattern '" + NAME + "'.");
      require(names.add(name), "Tool names must be unique: '" + name + "'");
      if (function.path("strict").asBoolean(false)) {
        JsonNode schema = function.path("parameters");
        require(
            schema.path("type").asText().equals("object"),
            invalid(name) + "schema must be of type 'object'");
        strict(schema, name, "()");
      }
    }
    JsonNode choice = body.path("tool_choice");
    require(
        choice.isMissingNode()
            || choice.isObject()
            || Set.of("none", "auto", "required").contains(choice.asText()),
        "Invalid value for 'tool_choice': expected 'none', 'auto', 'required' or a named tool.");
  }

  private static void strict(JsonNode schema, String function, String context) {
    if (!schema.isObject()) {
      return;
    }
    for (String keyword : NOT_PERMITTED) {
      require(
          !schema.has(keyword),
          invalid(function) + "In context=" + context + ", '" + keyword + "' is not permitted.");
    }
    boolean object =
        schema.path("type").asText().equals("object")
            || (schema.path("type").isArray() && schema.path("type").toString().contains("object"))
            || schema.has("properties");
    if (object) {
      require(
          schema.path("additionalProperties").isBoolean()
              && !schema.path("additionalProperties").asBoolean(),
          invalid(function)
              + "In context="
              + context
              + ", 'additionalProperties' is required to be supplied and to be false.");
      Set<String> properties = new TreeSet<>();
      schema.path("properties").fieldNames().forEachRemaining(properties::add);
      Set<String> required = new TreeSet<>();
      schema.path("required").forEach(name -> required.add(name.asText()));
      require(
          schema.path("required").isArray() && required.equals(properties),
          invalid(function)
              + "In context="
              + context
              + ", 'required' is required to be supplied and to be an array including every key in"
              + " properties.");
      schema
          .path("properties")
          .properties()
          .forEach(entry -> strict(entry.getValue(), function, context + "." + entry.getKey()));
    }
    if (schema.has("items")) {
      strict(schema.get("items"), function, context + ".items");
    }
    schema.path("anyOf").forEach(option -> strict(option, function, context + ".anyOf"));
    schema
        .path("$defs")
        .properties()
        .forEach(entry -> strict(entry.getValue(), function, "$defs." + entry.getKey()));
  }

  private static void messages(JsonNode messages) {
    require(messages.isArray(), "Missing required parameter: 'messages'.");
    require(!messages.isEmpty(), "[] is too short - 'messages'");
    Set<String> unanswered = new LinkedHashSet<>();
    int index = 0;
    for (JsonNode message : messages) {
      String where = "messages[" + index + "]";
      String role = message.path("role").asText();
      if (role.equals("tool")) {
        String id = message.path("tool_call_id").asText();
        require(!id.isEmpty(), "Missing required parameter: '" + where + ".tool_call_id'.");
        require(
            unanswered.remove(id),
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding"
                + " message with 'tool_calls'.");
        text(message, where);
      } else {
        require(unanswered.isEmpty(), withoutResults(unanswered));
        switch (role) {
          case "system", "developer", "user" -> text(message, where);
          case "assistant" -> assistant(message, where, unanswered);
          default ->
              throw new Broken(
                  "Invalid value: '"
                      + role
                      + "'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool',"
                      + " and 'developer'.");
        }
      }
      index++;
    }
    require(unanswered.isEmpty(), withoutResults(unanswered));
  }

  private static void assistant(JsonNode message, String where, Set<String> unanswered) {
    if (!message.has("tool_calls")) {
      text(message, where);
      return;
    }
    JsonNode calls = message.get("tool_calls");
    require(
        calls.isArray() && !calls.isEmpty(),
        "Invalid '" + where + ".tool_calls': empty array. Expected an array with minimum length 1");
    for (JsonNode call : calls) {
      String id = call.path("id").asText();
      require(
          !id.isEmpty() && id.length() <= LONGEST_CALL_ID,
          "Invalid '"
              + where
              + ".tool_calls[].id': expected 1 to "
              + LONGEST_CALL_ID
              + " characters");
      require(unanswered.add(id), "Duplicate tool call id: '" + id + "'");
      require(
          call.path("type").asText().equals("function"),
          "Missing required parameter: '" + where + ".tool_calls[].type'");
      JsonNode function = call.path("function");
      require(
          NAME.matcher(function.path("name").asText()).matches(),
          "Invalid '" + where + ".tool_calls[].function.name': string does not match pattern");
      require(
          function.path("arguments").isTextual(),
          "Missing required parameter: '" + where + ".tool_calls[].function.arguments'");
    }
    JsonNode content = message.path("content");
    require(
        content.isMissingNode() || content.isNull() || content.isTextual() || content.isArray(),
        "Invalid type for '" + where + ".content'");
  }

  private static void text(JsonNode message, String where) {
    JsonNode content = message.path("content");
    require(
        content.isTextual() || (content.isArray() && !content.isEmpty()),
        "Invalid value for '" + where + ".content': expected a string, got null.");
  }

  private static String withoutResults(Set<String> ids) {
    return "An assistant message with 'tool_calls' must be followed by tool messages responding to"
        + " each 'tool_call_id'. The following tool_call_ids did not have response messages: "
        + String.join(", ", ids);
  }

  private static String invalid(String function) {
    return "Invalid schema for function '" + function + "': ";
  }

  private static void require(boolean condition, String sentence) {
    if (!condition) {
      throw new Broken(sentence);
    }
  }
}
