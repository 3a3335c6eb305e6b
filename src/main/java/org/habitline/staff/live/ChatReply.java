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
 * Converts the events of one participant to the messages of the web chat: tokens that add up to the
 * reply, and the end of each reply. Used by one thread.
 */
final class ChatReply {

  private static final JsonMapper JSON = new JsonMapper();

  /** Kinds of turns to which the participant expects a reply. */
  private static final Set<String> ANSWERING =
      Set.of(InputKind.SAID.word(), InputKind.ENROLLED.word());

  private final String conversationId;
  private final Function<List<String>, List<String>> transcript;
  private final ChatScreen screen;

  private int turn;
  private long attempt;

  /** The part of the current reply that the client has. */
  private String shown = "";

  /** Whether the turn has completed a message. */
  private boolean spoke;

  /**
   * Creates the converter for one screen; {@code transcript} returns the texts of messages by their
   * ids.
   */
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
        // Other events are not for participants.
      }
    }
  }

  /**
   * Returns whether the event belongs to the newest attempt of the newest turn. When a newer one
   * begins, what the client has of the older is withdrawn.
   */
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

  /**
   * Sends a message that no turn wrote, whole, before the reply that a turn is writing at the
   * moment.
   */
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

  /** Reports a failed turn, unless it was not a reply and has sent nothing. */
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

  /** Sends an error to a screen. */
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
      throw new IllegalStateException("The payload of an event is not JSON.");
    }
  }
}
