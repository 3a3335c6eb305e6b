package org.habitline.llm.openai;

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
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.ToolSpec;

/** A request in the words of the Chat Completions API, within what the vendor accepts. */
final class Question {

  private static final int LONGEST_NAME = 64;
  private static final String NAMELESS = "unnamed";

  private Question() {}

  static ChatCompletionCreateParams of(ModelRequest request, String model, TokenLimit limit) {
    var params = ChatCompletionCreateParams.builder().model(model);
    request.messages().forEach(message -> add(params, message));
    if (request.temperature() != null) {
      params.temperature(request.temperature());
    }
    if (request.maxTokens() != null) {
      limit.set(params, request.maxTokens());
    }
    // Both settings are a 400 where no tools are given.
    if (!request.tools().isEmpty()) {
      request.tools().forEach(tool -> params.addTool(tool(tool)));
      params.parallelToolCalls(request.parallelToolCalls());
      params.toolChoice(
          request.mustSpeak()
              ? ChatCompletionToolChoiceOption.Auto.NONE
              : ChatCompletionToolChoiceOption.Auto.AUTO);
    }
    return params.build();
  }

  /** The same, to be answered piece by piece, with the tokens used at the end. */
  static ChatCompletionCreateParams streamed(ModelRequest request, String model, TokenLimit limit) {
    return of(request, model, limit).toBuilder()
        .streamOptions(ChatCompletionStreamOptions.builder().includeUsage(true).build())
        .build();
  }

  private static void add(ChatCompletionCreateParams.Builder params, ModelMessage message) {
    switch (message) {
      case ModelMessage.SystemText system ->
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
   * An empty {@code tool_calls} list is a 400, so there is either a list with calls or none; a
   * message without calls must have a content.
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
                      .arguments(wellFormed(call.arguments()))
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
                .strict(true)
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
   * A model may call what no tool can be named ({@code multi_tool_use.parallel}), and the vendor
   * refuses to be shown such a name again.
   */
  private static String callable(String name) {
    var clean = name.replaceAll("[^a-zA-Z0-9_-]", "_");
    return clean.isEmpty() ? NAMELESS : clean.substring(0, Math.min(clean.length(), LONGEST_NAME));
  }

  /** Half of a surrogate pair cannot be written as UTF-8 and would end the request. */
  private static String wellFormed(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }
}
