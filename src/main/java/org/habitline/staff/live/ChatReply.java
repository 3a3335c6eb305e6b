package org.habitline.staff.live;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.habitline.audit.Event;
import org.habitline.messaging.inbox.InputKind;

/**
 * Turns the events of one participant into the messages of the web chat: tokens that add up to what
 * the line says, and the end of each reply. Used by one thread.
 */
final class ChatReply {

  private static final JsonMapper JSON = new JsonMapper();

  /** Kinds of turns that somebody waits for. */
  private static final Set<String> ANSWERING =
      Set.of(InputKind.SAID.word(), InputKind.ENROLLED.word());

  private final String conversationId;
  private final Function<List<String>, List<String>> transcript;
  private final ChatScreen screen;

  private int turn;
  private long attempt;

  /** What was shown of the reply that is being said. */
  private String shown = "";

  /** Whether the turn said something that stands. */
  private boolean spoke;

  /** Shows on this screen; the transcript gives the texts of messages by their ids. */
  ChatReply(
      String conversationId, Function<List<String>, List<String>> transcript, ChatScreen screen) {
    this.conversationId = conversationId;
    this.transcript = transcript;
    this.screen = screen;
  }

  void tell(Event event) {
    var payload = read(event.payload());
    switch (event.type()) {
      case "message.delta" -> delta(payload);
      case "message.reset" -> reset(payload);
      case "tool_call.started" -> tool(payload, "tool_start", "tool_input", "arguments");
      case "tool_call.completed" -> tool(payload, "tool_complete", "tool_result", "result");
      case "message.completed" -> completed(payload);
      case "turn.completed" -> ended(payload);
      case "turn.failed" -> failed(payload);
      default -> {
        // Nothing that a participant hears of.
      }
    }
  }

  /** Whether this is of the try that is being shown; a newer one takes the place of an older. */
  private boolean isCurrent(JsonNode payload) {
    var ofTurn = payload.path("turn").asInt();
    var ofAttempt = payload.path("try").asLong();
    if (ofTurn > turn || (ofTurn == turn && ofAttempt > attempt)) {
      takeBack();
      turn = ofTurn;
      attempt = ofAttempt;
      spoke = false;
    }
    return ofTurn == turn && ofAttempt == attempt;
  }

  private void delta(JsonNode payload) {
    if (isCurrent(payload) && payload.path("place").asInt() == shown.length()) {
      token(payload.path("text").asText());
    }
  }

  private void reset(JsonNode payload) {
    if (isCurrent(payload)) {
      takeBack();
    }
  }

  private void tool(JsonNode payload, String type, String field, String from) {
    if (isCurrent(payload)) {
      var message = message(type);
      message.set("tool_name", payload.path("name"));
      message.set(field, payload.path(from));
      message.set("source", payload.path("source"));
      show(message);
    }
  }

  private void completed(JsonNode payload) {
    var ids = payload.path("message_ids");
    var whole =
        String.join("\n\n", transcript.apply(ids.valueStream().map(JsonNode::asText).toList()));
    if (!payload.has("turn")) {
      between(whole);
    } else if (isCurrent(payload)) {
      spoke = true;
      if (!whole.startsWith(shown)) {
        takeBack();
      }
      token(whole.substring(shown.length()));
    }
  }

  /** What no turn said comes whole, before what a turn is saying at this moment. */
  private void between(String whole) {
    var interrupted = shown;
    takeBack();
    token(whole);
    complete();
    token(interrupted);
  }

  private void ended(JsonNode payload) {
    if (spoke || payload.path("kind").asText().equals("said")) {
      complete();
    }
  }

  /** Whoever said nothing and hears nothing has no reply that could fail. */
  private void failed(JsonNode payload) {
    if (spoke || ANSWERING.contains(payload.path("kind").asText())) {
      error(
          ChatError.INTERNAL_ERROR,
          "The reply could not be written; the flow's fallback message is sent instead.");
    } else {
      takeBack();
    }
    shown = "";
    spoke = false;
  }

  private void token(String text) {
    if (!text.isEmpty()) {
      shown += text;
      show(message("token").put("content", text));
    }
  }

  private void takeBack() {
    if (!shown.isEmpty()) {
      shown = "";
      show(message("reset"));
    }
  }

  private void complete() {
    shown = "";
    spoke = false;
    show(message("complete").put("conversation_id", conversationId));
  }

  void error(ChatError code, String sentence) {
    error(screen, code, sentence);
  }

  /** Says on a screen what went wrong. */
  static void error(ChatScreen screen, ChatError code, String sentence) {
    screen.show(message("error").put("code", code.name()).put("message", sentence).toString());
  }

  private static ObjectNode message(String type) {
    return JSON.createObjectNode().put("type", type);
  }

  private void show(ObjectNode message) {
    screen.show(message.toString());
  }

  private static JsonNode read(String payload) {
    try {
      return JSON.readTree(payload);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("An event holds what is no JSON.");
    }
  }
}
