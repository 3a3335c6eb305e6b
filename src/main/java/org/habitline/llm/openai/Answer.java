package org.habitline.llm.openai;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.habitline.llm.ChatServer.Attempt;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.Receipt;
import org.habitline.llm.ToolCall;
import org.habitline.llm.openai.Beginnings.Beginning;
import org.jspecify.annotations.Nullable;

/**
 * Reads a chat completion leniently, because compatible servers leave out ids, types and usage, or
 * send arguments as an object. Only a completion without a message is refused.
 */
final class Answer {

  /** The longest call id that OpenAI accepts in a later request. */
  private static final int LONGEST_ID = 40;

  /** The longest name or code that is kept for provenance. */
  private static final int LONGEST_WORD = 200;

  /** Servers' names for the field that holds a model's reasoning. */
  static final List<String> REASONING = List.of("reasoning_content", "reasoning");

  /** Types of the content parts that hold a model's reasoning. */
  private static final Set<String> THOUGHTS = Set.of("thinking", "reasoning", "thought");

  /** Types of the content parts that are text for the participant. */
  private static final Set<String> TEXTS = Set.of("text", "output_text");

  /** Finish reasons of a reply that was cut off before the model finished it. */
  private static final Set<String> CUT = Set.of("length", "content_filter");

  /** The longest reasoning that is kept. */
  private static final int LONGEST_REASONING = 32_000;

  /** The longest refusal that is kept. */
  private static final int LONGEST_REFUSAL = 1000;

  private Answer() {}

  /** Returns the reply in a completion, or empty if the completion has no message. */
  static Optional<Attempt.Answered> read(
      JsonNode completion,
      ModelRequest request,
      String model,
      Beginnings beginnings,
      @Nullable String requestId,
      long millis) {
    var choice = completion.path("choices").path(0);
    var message = choice.path("message");
    if (!message.isObject()) {
      return Optional.empty();
    }
    var finish = word(choice.path("finish_reason"));
    var content = text(message.path("content"));
    var thoughts = thoughts(message);
    var begins = thoughts.isEmpty() ? beginnings.of(model) : Beginning.WORDS;
    var spoken = Spoken.of(content == null ? "" : content, begins);
    var whole =
        content != null && !content.isBlank() && !CUT.contains(finish == null ? "" : finish);
    beginnings.shown(model, thoughts.isEmpty() ? spoken.begins(whole) : Beginning.WORDS);
    var usage = completion.path("usage");
    var receipt =
        new Receipt(
            model,
            word(completion.path("model")),
            requestId == null ? null : shortened(requestId, LONGEST_WORD),
            finish,
            tokens(usage.path("prompt_tokens")),
            tokens(usage.path("completion_tokens")),
            millis,
            1,
            reasoning(thoughts, spoken),
            cached(usage),
            null);
    return Optional.of(
        reply(message, content == null ? null : spoken.words(), spoken, request, finish, receipt));
  }

  /** Returns the tokens that the server had cached, or {@code null} if it does not report them. */
  private static @Nullable Long cached(JsonNode usage) {
    var cached = usage.path("prompt_tokens_details").path("cached_tokens");
    return cached.isIntegralNumber() ? tokens(cached) : null;
  }

  /** Returns the model's reasoning, or {@code null} if the reply holds none. */
  private static @Nullable String reasoning(List<String> thoughts, Spoken spoken) {
    var all =
        Stream.concat(thoughts.stream(), Stream.of(spoken.hidden()))
            .map(String::strip)
            .filter(text -> !text.isEmpty())
            .distinct()
            .collect(Collectors.joining("\n\n"));
    return all.isEmpty() ? null : shortened(all, LONGEST_REASONING);
  }

  /**
   * Returns the reasoning that a message, or a piece of one, keeps separate from its text: in its
   * own field, or in a content part of a reasoning type.
   */
  static List<String> thoughts(JsonNode message) {
    var thoughts = new ArrayList<String>();
    REASONING.forEach(name -> thoughts.add(message.path(name).asText("")));
    for (var part : message.path("content")) {
      if (THOUGHTS.contains(part.path("type").asText())) {
        thoughts.add(texts(part));
      }
    }
    thoughts.removeIf(String::isEmpty);
    return thoughts;
  }

  /**
   * Returns the text of a reasoning part. Mistral nests it in further parts; others put it beside
   * the type.
   */
  private static String texts(JsonNode part) {
    if (part.isTextual()) {
      return part.asText();
    }
    var nested = new ArrayList<JsonNode>();
    for (var name : List.of("text", "thinking", "reasoning")) {
      if (part.has(name)) {
        nested.add(part.get(name));
      }
    }
    if (part.isArray()) {
      part.forEach(nested::add);
    }
    return nested.stream().map(Answer::texts).collect(Collectors.joining());
  }

  private static Attempt.Answered reply(
      JsonNode message,
      @Nullable String text,
      Spoken spoken,
      ModelRequest request,
      @Nullable String finish,
      Receipt receipt) {
    var calls = calls(message.path("tool_calls"), request);
    var refusal = message.path("refusal").asText("");
    if ("content_filter".equals(finish)) {
      return asSent(new ModelReply.Refused("content_filter", receipt));
    }
    if (message.path("refusal").isTextual() && !refusal.isBlank()) {
      return asSent(new ModelReply.Refused(shortened(refusal.strip(), LONGEST_REFUSAL), receipt));
    }
    if ("length".equals(finish)) {
      return asSent(new ModelReply.CutOff(text, calls, receipt));
    }
    if (!calls.isEmpty()) {
      return asSent(new ModelReply.CallsTools(text, calls, receipt));
    }
    var written = WrittenCalls.of(spoken, request);
    if (written.isPresent()) {
      return new Attempt.Answered(
          new ModelReply.CallsTools(
              written.get().text(), calls(written.get().calls(), request), receipt),
          true);
    }
    return asSent(new ModelReply.Says(said(text == null ? "" : text), receipt));
  }

  private static Attempt.Answered asSent(ModelReply reply) {
    return new Attempt.Answered(reply, false);
  }

  /**
   * Returns the text without calls of tools that were not offered. Text that is only JSON is
   * returned unchanged and is recognized later.
   */
  private static String said(String text) {
    var words = WrittenCalls.without(text);
    return words.isBlank() && !WrittenCalls.isPython(text) ? text : words;
  }

  /**
   * Returns the text of a content that is a string or a list of parts, or {@code null} if it is
   * neither.
   */
  public static @Nullable String text(JsonNode content) {
    if (content.isTextual()) {
      return content.asText();
    }
    if (content.isArray()) {
      return StreamSupport.stream(content.spliterator(), false)
          .filter(part -> part.isTextual() || TEXTS.contains(part.path("type").asText("text")))
          .map(part -> part.isTextual() ? part.asText() : part.path("text").asText(""))
          .collect(Collectors.joining());
    }
    return null;
  }

  /**
   * Returns the calls, each with an id that is unique within the conversation, because some servers
   * leave ids out, repeat them, or count from zero in each reply. The same reply to the same
   * request always gets the same ids.
   */
  private static List<ToolCall> calls(JsonNode list, ModelRequest request) {
    var taken = ids(request);
    var calls = new ArrayList<ToolCall>();
    for (var call : list) {
      var given = call.path("id").isTextual() ? call.path("id").asText() : "";
      var id = usable(given) && taken.add(given) ? given : next(taken);
      var function = call.path("function");
      calls.add(
          new ToolCall(
              id, function.path("name").asText(""), arguments(function.path("arguments"))));
    }
    return List.copyOf(calls);
  }

  private static Set<String> ids(ModelRequest request) {
    var ids = new HashSet<String>();
    for (var message : request.messages()) {
      if (message instanceof ModelMessage.AssistantText said) {
        said.toolCalls().forEach(call -> ids.add(call.id()));
      }
    }
    return ids;
  }

  private static boolean usable(String id) {
    return id.length() <= LONGEST_ID && id.matches("[!-~]+");
  }

  private static String next(Set<String> taken) {
    var number = taken.size() + 1;
    while (!taken.add("call_" + number)) {
      number++;
    }
    return "call_" + number;
  }

  private static String arguments(JsonNode arguments) {
    if (arguments.isTextual()) {
      return arguments.asText();
    }
    return arguments.isContainerNode() ? arguments.toString() : "";
  }

  private static long tokens(JsonNode count) {
    return Math.max(0, count.asLong(0));
  }

  private static @Nullable String word(JsonNode node) {
    return node.isTextual() ? shortened(node.asText(), LONGEST_WORD) : null;
  }

  private static String shortened(String text, int longest) {
    return text.length() <= longest ? text : text.substring(0, longest);
  }
}
