package org.habitline.llm.openai;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.openai.client.OpenAIClient;
import com.openai.core.JsonField;
import com.openai.core.JsonValue;
import com.openai.core.RequestOptions;
import com.openai.errors.OpenAIException;
import com.openai.errors.OpenAIIoException;
import com.openai.errors.OpenAIServiceException;
import com.openai.models.FunctionDefinition;
import com.openai.models.FunctionParameters;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionAssistantMessageParam;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionFunctionTool;
import com.openai.models.chat.completions.ChatCompletionMessage;
import com.openai.models.chat.completions.ChatCompletionMessageFunctionToolCall;
import com.openai.models.chat.completions.ChatCompletionMessageToolCall;
import com.openai.models.chat.completions.ChatCompletionSystemMessageParam;
import com.openai.models.chat.completions.ChatCompletionToolChoiceOption;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;
import com.openai.models.chat.completions.ChatCompletionUserMessageParam;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.habitline.llm.ChatServer;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.Receipt;
import org.habitline.llm.ToolCall;
import org.habitline.llm.ToolSpec;
import org.jspecify.annotations.Nullable;

/**
 * One Chat Completions request by openai-java, whose own retries are off. Answers are read
 * leniently: what a compatible server leaves out is no reason to fail, and what it says about the
 * request is never repeated, because it may quote a participant.
 */
final class OpenAiServer implements ChatServer {

  private static final int REQUEST_TIMEOUT = 408;
  private static final int CONFLICT = 409;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVER_ERROR = 500;

  private final OpenAIClient client;
  private final String address;

  OpenAiServer(OpenAIClient client, String address) {
    this.client = client;
    this.address = address;
  }

  @Override
  public String address() {
    return address;
  }

  @Override
  public Attempt ask(ModelRequest request, String model, Duration timeout) {
    var began = System.nanoTime();
    try (var response =
        client
            .chat()
            .completions()
            .withRawResponse()
            .create(params(request, model), RequestOptions.builder().timeout(timeout).build())) {
      var requestId = response.requestId().orElse(null);
      var completion = response.parse();
      return read(completion, model, requestId, (System.nanoTime() - began) / 1_000_000);
    } catch (OpenAIServiceException e) {
      return refused(e);
    } catch (OpenAIIoException e) {
      return interrupted(e)
          ? new Attempt.Interrupted()
          : new Attempt.Unanswered(
              "the model's server could not be reached or did not answer in time",
              true,
              Optional.empty());
    } catch (OpenAIException e) {
      return interrupted(e) ? new Attempt.Interrupted() : unreadable();
    } catch (RuntimeException e) {
      return interrupted(e) ? new Attempt.Interrupted() : unreadable();
    }
  }

  private static Attempt unreadable() {
    return new Attempt.Unanswered(
        "the model's server sent something that is no chat completion", true, Optional.empty());
  }

  /** The client lets a bare InterruptedException escape, or wraps it. */
  private static boolean interrupted(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof InterruptedException) {
        return true;
      }
    }
    return Thread.currentThread().isInterrupted();
  }

  private static Attempt refused(OpenAIServiceException e) {
    var status = e.statusCode();
    var again =
        status == REQUEST_TIMEOUT
            || status == CONFLICT
            || status == TOO_MANY_REQUESTS
            || status >= SERVER_ERROR;
    return new Attempt.Unanswered(
        "the model's server answered with HTTP status " + status, again, retryAfter(e));
  }

  /**
   * {@code Retry-After} is seconds or a date (RFC 9110); {@code retry-after-ms} is OpenAI's own.
   */
  private static Optional<Duration> retryAfter(OpenAIServiceException e) {
    var millis = e.headers().values("retry-after-ms").stream().findFirst();
    if (millis.isPresent()) {
      return number(millis.get()).map(Duration::ofMillis);
    }
    return e.headers().values("retry-after").stream().findFirst().flatMap(OpenAiServer::pause);
  }

  private static Optional<Duration> pause(String header) {
    return number(header).map(Duration::ofSeconds).or(() -> untilDate(header));
  }

  private static Optional<Long> number(String header) {
    try {
      return Optional.of((long) Math.ceil(Double.parseDouble(header.strip()))).filter(n -> n >= 0);
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  private static Optional<Duration> untilDate(String header) {
    try {
      var date = ZonedDateTime.parse(header.strip(), DateTimeFormatter.RFC_1123_DATE_TIME);
      var wait = Duration.between(Clock.systemUTC().instant(), date.toInstant());
      return Optional.of(wait.isNegative() ? Duration.ZERO : wait);
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  private static ChatCompletionCreateParams params(ModelRequest request, String model) {
    var params = ChatCompletionCreateParams.builder().model(model);
    request.messages().forEach(message -> add(params, message));
    if (request.temperature() != null) {
      params.temperature(request.temperature());
    }
    if (request.maxTokens() != null) {
      params.maxCompletionTokens(request.maxTokens().longValue());
    }
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

  private static void add(ChatCompletionCreateParams.Builder params, ModelMessage message) {
    switch (message) {
      case ModelMessage.SystemText system ->
          params.addMessage(
              ChatCompletionSystemMessageParam.builder().content(system.content()).build());
      case ModelMessage.UserText user ->
          params.addMessage(
              ChatCompletionUserMessageParam.builder().content(user.content()).build());
      case ModelMessage.AssistantText assistant -> params.addMessage(assistant(assistant));
      case ModelMessage.ToolResult result ->
          params.addMessage(
              ChatCompletionToolMessageParam.builder()
                  .toolCallId(result.toolCallId())
                  .content(result.content())
                  .build());
    }
  }

  /** An empty {@code tool_calls} list is a 400, so there is either a list with calls or none. */
  private static ChatCompletionAssistantMessageParam assistant(ModelMessage.AssistantText said) {
    var message = ChatCompletionAssistantMessageParam.builder();
    if (said.content() != null) {
      message.content(said.content());
    }
    for (var call : said.toolCalls()) {
      message.addToolCall(
          ChatCompletionMessageFunctionToolCall.builder()
              .id(call.id())
              .function(
                  ChatCompletionMessageFunctionToolCall.Function.builder()
                      .name(call.name())
                      .arguments(call.arguments())
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

  private static Attempt read(
      ChatCompletion completion, String model, @Nullable String requestId, long millis) {
    var choice = known(completion._choices()).flatMap(choices -> choices.stream().findFirst());
    var message = choice.flatMap(one -> known(one._message()));
    if (choice.isEmpty() || message.isEmpty()) {
      return unreadable();
    }
    var finish =
        choice.flatMap(one -> known(one._finishReason())).map(Object::toString).orElse(null);
    var usage = known(completion._usage());
    var receipt =
        new Receipt(
            model,
            known(completion._model()).orElse(null),
            requestId,
            finish,
            usage.flatMap(u -> tokens(u._promptTokens())).orElse(0L),
            usage.flatMap(u -> tokens(u._completionTokens())).orElse(0L),
            millis,
            1);
    return new Attempt.Answered(reply(message.get(), finish, receipt));
  }

  private static Optional<Long> tokens(JsonField<Long> field) {
    return known(field);
  }

  private static ModelReply reply(
      ChatCompletionMessage message, @Nullable String finish, Receipt receipt) {
    var text = known(message._content()).orElse(null);
    var calls = calls(message);
    if ("content_filter".equals(finish)) {
      return new ModelReply.Refused("content_filter", receipt);
    }
    if ("length".equals(finish)) {
      return new ModelReply.CutOff(text, calls, receipt);
    }
    if (known(message._refusal()).filter(refusal -> !refusal.isBlank()).isPresent()) {
      return new ModelReply.Refused("refusal", receipt);
    }
    if (!calls.isEmpty()) {
      return new ModelReply.CallsTools(text, calls, receipt);
    }
    return new ModelReply.Says(text == null ? "" : text, receipt);
  }

  /**
   * Some servers repeat ids or leave them out; a conversation needs each to be there and its own.
   */
  private static List<ToolCall> calls(ChatCompletionMessage message) {
    var calls = new ArrayList<ToolCall>();
    var ids = new HashSet<String>();
    for (var call : known(message._toolCalls()).orElse(List.of())) {
      var id = id(call).filter(given -> !given.isBlank()).orElse("call_" + calls.size());
      while (!ids.add(id)) {
        id = id + "_" + calls.size();
      }
      calls.add(new ToolCall(id, name(call), arguments(call)));
    }
    return List.copyOf(calls);
  }

  private static Optional<ChatCompletionMessageFunctionToolCall> function(
      ChatCompletionMessageToolCall call) {
    return call.isFunction() ? Optional.of(call.asFunction()) : Optional.empty();
  }

  private static Optional<String> id(ChatCompletionMessageToolCall call) {
    return function(call).flatMap(one -> known(one._id()));
  }

  private static String name(ChatCompletionMessageToolCall call) {
    return function(call)
        .flatMap(one -> known(one._function()))
        .flatMap(one -> known(one._name()))
        .orElse("");
  }

  private static String arguments(ChatCompletionMessageToolCall call) {
    return function(call)
        .flatMap(one -> known(one._function()))
        .flatMap(one -> known(one._arguments()))
        .orElse("");
  }

  private static <T> Optional<T> known(JsonField<T> field) {
    return field.asKnown();
  }
}
