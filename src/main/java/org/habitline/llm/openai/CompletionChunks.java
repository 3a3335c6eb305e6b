package org.habitline.llm.openai;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.habitline.llm.ChatServer.Attempt;
import org.habitline.llm.ModelReply;
import org.habitline.llm.TextListener;
import org.habitline.llm.openai.Beginnings.Beginning;
import org.jspecify.annotations.Nullable;

/**
 * Assembles the pieces of a streamed completion into the completion that the server would have sent
 * at once, so that both are read the same way. Text for the participant goes to the listener as it
 * arrives, once it cannot be reasoning. If calls or a refusal arrive as well, the listener is reset
 * and gets no more text.
 */
final class CompletionChunks {

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final TextListener listener;
  private final Beginning begins;
  private final StringBuilder content = new StringBuilder();
  private final StringBuilder reasoning = new StringBuilder();
  private final StringBuilder told = new StringBuilder();
  private final StringBuilder refusal = new StringBuilder();
  private final List<Call> calls = new ArrayList<>();
  private @Nullable Spoken spoken;
  private boolean spoke;
  private boolean declined;
  private boolean mute;
  private long length;
  private @Nullable JsonNode model;
  private @Nullable JsonNode usage;
  private @Nullable String finish;

  CompletionChunks(TextListener listener, Beginning begins) {
    this.listener = listener;
    this.begins = begins;
  }

  /** The part of a tool call that has arrived so far. */
  private static final class Call {
    private final int index;
    private String id = "";
    private String name = "";
    private final StringBuilder arguments = new StringBuilder();

    Call(int index) {
      this.index = index;
    }
  }

  /** Returns the number of characters that have arrived. */
  long length() {
    return length;
  }

  /** Returns whether the stream ended before the reply was complete. */
  boolean broken() {
    return finish == null && (spoke || declined || !calls.isEmpty());
  }

  void add(JsonNode chunk) {
    if (chunk.path("model").isTextual()) {
      model = chunk.path("model");
    }
    if (chunk.path("usage").isObject()) {
      usage = chunk.path("usage");
    }
    for (var choice : chunk.path("choices")) {
      if (choice.path("index").asInt(0) == 0) {
        add(choice.path("delta"), choice.path("finish_reason"));
      }
    }
  }

  private void add(JsonNode delta, JsonNode reason) {
    delta.path("tool_calls").forEach(this::addCall);
    if (delta.path("refusal").isTextual()) {
      declined = true;
      length += delta.path("refusal").asText().length();
      refusal.append(delta.path("refusal").asText());
    }
    if (!calls.isEmpty() || !refusal.isEmpty()) {
      hush();
    }
    for (var thought : Answer.thoughts(delta)) {
      length += thought.length();
      reasoning.append(thought);
    }
    say(Answer.text(delta.path("content")));
    if (reason.isTextual()) {
      finish = reason.asText();
    }
  }

  private void say(@Nullable String piece) {
    if (piece == null) {
      return;
    }
    spoke = true;
    if (piece.isEmpty()) {
      return;
    }
    length += piece.length();
    content.append(piece);
    if (spoken == null) {
      spoken = new Spoken(reasoning.isEmpty() ? begins : Beginning.WORDS);
    }
    spoken.add(piece);
    if (!spoken.calls().isEmpty()) {
      hush();
    }
    if (!mute && isCertain(spoken) && !spoken.doubtful()) {
      tell(WrittenCalls.before(spoken.words()));
    }
  }

  /**
   * Returns whether the text so far can no longer turn out to be reasoning when a closing mark
   * arrives.
   */
  private boolean isCertain(Spoken soFar) {
    return switch (begins) {
      case WORDS, REASONING -> true;
      case UNKNOWN, EITHER -> !reasoning.isEmpty() || soFar.begins(false) != Beginning.UNKNOWN;
    };
  }

  /**
   * Passes on the rest of the text, or resets the listener first if the text does not begin with
   * what it has heard.
   */
  private void tell(String text) {
    if (!text.startsWith(told.toString())) {
      listener.reset();
      told.setLength(0);
    }
    if (text.length() > told.length()) {
      listener.text(text.substring(told.length()));
      told.setLength(0);
      told.append(text);
    }
  }

  private void hush() {
    if (!mute) {
      mute = true;
      told.setLength(0);
      listener.reset();
    }
  }

  /**
   * Passes on the rest of a complete reply. A reply that is data and not words resets the listener.
   */
  void told(Attempt attempt) {
    if (attempt instanceof Attempt.Answered answered
        && answered.reply() instanceof ModelReply.Says says) {
      tell(WrittenCalls.isData(says.text()) ? "" : says.text());
    }
  }

  private void addCall(JsonNode piece) {
    var call = callOf(piece);
    var function = piece.path("function");
    if (call.id.isEmpty()) {
      call.id = piece.path("id").asText("");
    }
    if (call.name.isEmpty()) {
      call.name = function.path("name").asText("");
    }
    var arguments = function.path("arguments");
    var more =
        arguments.isContainerNode()
            ? arguments.toString()
            : arguments.isTextual() ? arguments.asText() : "";
    length += more.length();
    call.arguments.append(more);
  }

  /**
   * Returns the call that a piece belongs to. Some servers leave the index out, or give every call
   * the index of the first.
   */
  private Call callOf(JsonNode piece) {
    var id = piece.path("id").asText("");
    var index = piece.path("index").asInt(calls.isEmpty() ? 0 : calls.getLast().index);
    for (var call : calls.reversed()) {
      if (call.index == index && (id.isEmpty() || call.id.isEmpty() || call.id.equals(id))) {
        return call;
      }
    }
    var call = new Call(index);
    calls.add(call);
    return call;
  }

  /** Returns the whole completion, without a choice if the stream sent no finish reason. */
  ObjectNode completion() {
    var completion = NODES.objectNode();
    completion.set("model", model);
    completion.set("usage", usage);
    var choices = completion.putArray("choices");
    if (finish == null) {
      return completion;
    }
    var choice = choices.addObject().put("finish_reason", finish);
    var message = choice.putObject("message");
    message.put("content", content.isEmpty() ? null : content.toString());
    message.put("reasoning_content", reasoning.isEmpty() ? null : reasoning.toString());
    message.put("refusal", declined ? refusal.toString() : null);
    var list = message.putArray("tool_calls");
    for (var call : calls) {
      var one = list.addObject().put("id", call.id);
      one.putObject("function").put("name", call.name).put("arguments", call.arguments.toString());
    }
    return completion;
  }
}
