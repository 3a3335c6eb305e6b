package org.habitline.llm.check;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelMessage.AssistantText;
import org.habitline.llm.ModelMessage.SystemText;
import org.habitline.llm.ModelMessage.ToolResult;
import org.habitline.llm.ModelMessage.UserText;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ToolCall;

/** Exchanges with one tool. A call is judged by its name and by the values of its arguments. */
final class ToolCalls {

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private static final SystemText COACH =
      new SystemText(
          "You are a friendly coach. Save every walk that the participant reports with the tool "
              + Requests.SAVE_WALK
              + ", one call for each walk. Call it at once and do not ask back. When you have the"
              + " tool's result, reply with one short sentence that contains the code in it.");

  private static final UserText ONE_WALK =
      new UserText("I walked 25 minutes on Tuesday. I noticed nothing special.");
  private static final JsonNode TUESDAY = Requests.walk("tuesday", 25);

  private static final UserText TWO_WALKS =
      new UserText(
          "I walked 20 minutes on Monday and 30 minutes on Friday. I noticed nothing special."
              + " Please save both walks now, with two tool calls in one reply.");
  private static final JsonNode MONDAY = Requests.walk("monday", 20);
  private static final JsonNode FRIDAY = Requests.walk("friday", 30);

  /** A word that no reply contains unless the model has read the tool's result. */
  private static final String CODE = "KX-4471";

  private static final String RESULT = "{\"status\":\"success\",\"code\":\"" + CODE + "\"}";

  private static final String NOTE = "note";

  private ToolCalls() {}

  static Finding one(Talk talk) {
    var reply = talk.ask(Requests.withTool(List.of(COACH, ONE_WALK), false, false));
    if (!(reply instanceof ModelReply.CallsTools calls)) {
      return Finding.fails(Talk.unexpected(reply));
    }
    if (calls.calls().size() != 1) {
      return Finding.fails("the model made " + calls.calls().size() + " calls instead of one");
    }
    return wrong(calls).map(Finding::fails).orElseGet(() -> only(calls, Set.of(TUESDAY)));
  }

  /** Continues with the call as the model wrote it, even if its arguments are wrong. */
  static Finding resultUsed(Talk talk) {
    var messages = new ArrayList<ModelMessage>(List.of(COACH, ONE_WALK));
    var first = talk.ask(Requests.withTool(messages, false, null));
    if (!(first instanceof ModelReply.CallsTools calls)) {
      return Finding.fails(Talk.unexpected(first));
    }
    messages.add(new AssistantText(calls.text(), calls.calls()));
    calls.calls().forEach(call -> messages.add(new ToolResult(call.id(), RESULT)));
    return switch (talk.ask(Requests.withTool(messages, false, null))) {
      case ModelReply.Says says when Replies.contains(says, CODE) -> Finding.works();
      case ModelReply.Says says when !says.text().isBlank() ->
          Finding.fails("the reply lacks the code in the result");
      case ModelReply other -> Finding.fails(Talk.unexpected(other));
    };
  }

  static Finding several(Talk talk) {
    var reply = talk.ask(Requests.withTool(List.of(COACH, TWO_WALKS), false, true));
    if (!(reply instanceof ModelReply.CallsTools calls)) {
      return Finding.fails(Talk.unexpected(reply));
    }
    if (calls.calls().size() == 1) {
      return Finding.fails("the model made one call at a time");
    }
    return wrong(calls).map(Finding::fails).orElseGet(() -> only(calls, Set.of(MONDAY, FRIDAY)));
  }

  static Finding optional(Talk talk) {
    var text = new UserText("I walked 15 minutes on Wednesday.");
    var reply = talk.ask(Requests.withTool(List.of(COACH, text), false, null));
    if (!(reply instanceof ModelReply.CallsTools calls)) {
      return Finding.fails(Talk.unexpected(reply));
    }
    var wrong = wrong(calls);
    if (wrong.isPresent()) {
      return Finding.fails(wrong.get());
    }
    var arguments = arguments(calls.calls().getFirst());
    if (!arguments.path(NOTE).asText("").isBlank()) {
      return Finding.fails("the model filled in an optional value");
    }
    // Habitline's tools read a missing or blank value as null.
    return arguments.path(NOTE).isNull()
        ? Finding.works()
        : Finding.adapted("the call has no null in its place, although the schema requires it");
  }

  /** Leaves a walk unsaved, so that the model is tempted to call. */
  static Finding noneAllowed(Talk talk) {
    var saved = new ToolCall("call_1", Requests.SAVE_WALK, MONDAY.toString());
    List<ModelMessage> messages =
        List.of(
            COACH,
            TWO_WALKS,
            new AssistantText(null, List.of(saved)),
            new ToolResult(saved.id(), RESULT));
    return switch (talk.ask(Requests.withTool(messages, true, null))) {
      case ModelReply.Says says when !says.text().isBlank() -> Finding.works();
      case ModelReply other -> Finding.fails(Talk.unexpected(other));
    };
  }

  /** Returns what is wrong with the form of the calls, or empty if each follows the schema. */
  private static Optional<String> wrong(ModelReply.CallsTools calls) {
    for (var call : calls.calls()) {
      if (!call.name().equals(Requests.SAVE_WALK)) {
        return Optional.of("the model called a tool that does not exist");
      }
      var arguments = arguments(call);
      if (!arguments.isObject()) {
        return Optional.of("the arguments of the call are not a JSON object");
      }
      if (!arguments.path("day").isTextual() || !arguments.path("minutes").isIntegralNumber()) {
        return Optional.of("the arguments of the call do not follow the tool's schema");
      }
    }
    return Optional.empty();
  }

  /** Judges whether the calls are exactly these walks, in any order. */
  private static Finding only(ModelReply.CallsTools calls, Set<JsonNode> walks) {
    var made = new HashSet<JsonNode>();
    for (var call : calls.calls()) {
      var walk = arguments(call);
      made.add(Requests.walk(walk.path("day").asText(), walk.path("minutes").asInt()));
    }
    return made.equals(walks) && calls.calls().size() == walks.size()
        ? Finding.works()
        : Finding.fails("the calls have other values than the participant's text");
  }

  /** Returns the arguments of a call, or a missing node if they are not JSON. */
  private static JsonNode arguments(ToolCall call) {
    try {
      return JSON.readTree(call.arguments());
    } catch (JsonProcessingException e) {
      return JSON.missingNode();
    }
  }
}
