package org.habitline.llm.openai;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.openai.core.JsonValue;
import com.openai.models.FunctionDefinition;
import com.openai.models.FunctionParameters;
import com.openai.models.chat.completions.ChatCompletionAssistantMessageParam;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionFunctionTool;
import com.openai.models.chat.completions.ChatCompletionMessageFunctionToolCall;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.chat.completions.ChatCompletionSystemMessageParam;
import com.openai.models.chat.completions.ChatCompletionToolChoiceOption;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;
import com.openai.models.chat.completions.ChatCompletionUserMessageParam;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelMessage.SystemText;
import org.habitline.llm.ModelQuirk;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.Section;
import org.habitline.llm.ToolSpec;

/** Converts a request to the Chat Completions API, within what the vendor accepts. */
final class Question {

  private static final int LONGEST_NAME = 64;
  private static final String NAMELESS = "unnamed";

  /** Inserted where a server needs a user message and the participant wrote none. Never stored. */
  private static final ModelMessage CONTINUE = new ModelMessage.UserText("(continue)");

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private Question() {}

  static ChatCompletionCreateParams of(ModelRequest request, String model, Quirks.Known known) {
    var params = ChatCompletionCreateParams.builder().model(model);
    shown(request.messages(), known.has(ModelQuirk.ALTERNATING_ROLES))
        .forEach(message -> add(params, message));
    if (request.temperature() != null && !known.has(ModelQuirk.NO_TEMPERATURE)) {
      params.temperature(request.temperature());
    }
    if (request.maxTokens() != null) {
      var most = JsonValue.from(request.maxTokens());
      known.tokenLimit().ifPresent(name -> params.putAdditionalBodyProperty(name, most));
    }
    tools(params, request, known);
    return params.build();
  }

  /** Adds the tools and their settings. Without tools, servers answer both settings with a 400. */
  private static void tools(
      ChatCompletionCreateParams.Builder params, ModelRequest request, Quirks.Known known) {
    var choice = !known.has(ModelQuirk.NO_TOOL_CHOICE);
    if (request.tools().isEmpty()
        || (request.mustSpeak() && !choice && !known.has(ModelQuirk.TOOLS_ALWAYS))) {
      return;
    }
    request.tools().forEach(tool -> params.addTool(tool(tool)));
    if (request.parallelToolCalls() != null && !known.has(ModelQuirk.NO_PARALLEL_TOOL_CALLS)) {
      params.parallelToolCalls(request.parallelToolCalls());
    }
    if (choice) {
      params.toolChoice(
          request.mustSpeak()
              ? ChatCompletionToolChoiceOption.Auto.NONE
              : ChatCompletionToolChoiceOption.Auto.AUTO);
    }
  }

  /**
   * Returns the messages in the order that servers accept: one system message at the beginning, and
   * the model is always asked to reply to something. The templates of Qwen and Gemma refuse several
   * system messages, or one in the middle; some templates continue the model's own last message.
   */
  private static List<ModelMessage> shown(List<ModelMessage> messages, boolean alternating) {
    var system =
        Section.joined(
            messages.stream()
                .filter(SystemText.class::isInstance)
                .map(SystemText.class::cast)
                .toList());
    var shown = new ArrayList<ModelMessage>();
    for (var message : messages) {
      if (!(message instanceof SystemText)) {
        add(shown, message, alternating);
      }
    }
    if (shown.isEmpty() || speaks(shown.getLast())) {
      shown.add(CONTINUE);
    }
    if (!system.content().isEmpty()) {
      shown.addFirst(system);
    }
    return shown;
  }

  private static void add(List<ModelMessage> shown, ModelMessage next, boolean alternating) {
    var before = shown.isEmpty() ? null : shown.getLast();
    var unasked = before == null || speaks(before);
    if (alternating
        && before instanceof ModelMessage.UserText(String one)
        && next instanceof ModelMessage.UserText(String other)) {
      shown.set(shown.size() - 1, new ModelMessage.UserText(one + "\n\n" + other));
    } else if (alternating && before != null && speaks(before) && speaks(next)) {
      shown.set(
          shown.size() - 1,
          new ModelMessage.AssistantText(before.content() + "\n\n" + next.content(), List.of()));
    } else {
      if (unasked && (calls(next) || (alternating && before == null && speaks(next)))) {
        shown.add(CONTINUE);
      }
      shown.add(next);
    }
  }

  private static boolean speaks(ModelMessage message) {
    return message instanceof ModelMessage.AssistantText said && said.toolCalls().isEmpty();
  }

  private static boolean calls(ModelMessage message) {
    return message instanceof ModelMessage.AssistantText said && !said.toolCalls().isEmpty();
  }

  static ChatCompletionCreateParams of(
      ModelRequest request, String model, Quirks.Known known, boolean streamed) {
    return streamed ? streamed(request, model, known) : of(request, model, known);
  }

  /**
   * Returns the parameters of a streamed request. Unless the server refuses the option, the stream
   * ends with the token counts.
   */
  static ChatCompletionCreateParams streamed(
      ModelRequest request, String model, Quirks.Known known) {
    var params = of(request, model, known);
    if (known.has(ModelQuirk.NO_STREAM_OPTIONS)) {
      return params;
    }
    return params.toBuilder()
        .streamOptions(ChatCompletionStreamOptions.builder().includeUsage(true).build())
        .build();
  }

  private static void add(ChatCompletionCreateParams.Builder params, ModelMessage message) {
    switch (message) {
      case SystemText system ->
          params.addMessage(
              ChatCompletionSystemMessageParam.builder()
                  .content(wellFormed(system.content()))
                  .build());
      case ModelMessage.UserText user ->
          params.addMessage(
              ChatCompletionUserMessageParam.builder().content(wellFormed(user.content())).build());
      case ModelMessage.AssistantText assistant -> params.addMessage(assistant(assistant));
      case ModelMessage.ToolResult result ->
          params.addMessage(
              ChatCompletionToolMessageParam.builder()
                  .toolCallId(result.toolCallId())
                  .content(wellFormed(result.content()))
                  .build());
    }
  }

  /**
   * Converts a message of the model. Servers answer an empty {@code tool_calls} list with a 400, so
   * a message without calls has no list, and it must have a content.
   */
  private static ChatCompletionAssistantMessageParam assistant(ModelMessage.AssistantText said) {
    var message = ChatCompletionAssistantMessageParam.builder();
    var content = said.content();
    if (content != null) {
      message.content(wellFormed(content));
    } else if (said.toolCalls().isEmpty()) {
      message.content("");
    }
    for (var call : said.toolCalls()) {
      message.addToolCall(
          ChatCompletionMessageFunctionToolCall.builder()
              .id(call.id())
              .function(
                  ChatCompletionMessageFunctionToolCall.Function.builder()
                      .name(callable(call.name()))
                      .arguments(object(call.arguments()))
                      .build())
              .build());
    }
    return message.build();
  }

  private static ChatCompletionFunctionTool tool(ToolSpec tool) {
    return ChatCompletionFunctionTool.builder()
        .function(
            FunctionDefinition.builder()
                .name(tool.name())
                .description(tool.description())
                .strict(!tool.foreign())
                .parameters(parameters(tool.schema()))
                .build())
        .build();
  }

  private static FunctionParameters parameters(ObjectNode schema) {
    var parameters = FunctionParameters.builder();
    schema
        .properties()
        .forEach(entry ->
            parameters.putAdditionalProperty(
                entry.getKey(), JsonValue.fromJsonNode(entry.getValue())));
    return parameters.build();
  }

  /**
   * Returns a name that the vendor accepts. A model may call a name that no tool can have ({@code
   * multi_tool_use.parallel}), and the vendor refuses later requests that contain it.
   */
  private static String callable(String name) {
    var clean = name.replaceAll("[^a-zA-Z0-9_-]", "_");
    return clean.isEmpty() ? NAMELESS : clean.substring(0, Math.min(clean.length(), LONGEST_NAME));
  }

  /**
   * Returns the arguments, or an empty object if they are not a JSON object, because servers refuse
   * requests that contain such arguments. The journal keeps the original.
   */
  private static String object(String arguments) {
    var text = wellFormed(arguments);
    try {
      return JSON.readTree(text).isObject() ? text : "{}";
    } catch (JsonProcessingException e) {
      return "{}";
    }
  }

  /** Replaces lone surrogates, which cannot be written as UTF-8 and would make the request fail. */
  private static String wellFormed(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }
}
