package org.habitline.llm.openai;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the strict fake answers to one request.
 *
 * @param status the HTTP status
 * @param body the body, as it goes over the wire
 * @param until the answer waits for this latch, if there is one
 * @param ending what becomes of the body on its way
 * @param pace the time between two pieces of an answer that is streamed
 * @param midway such an answer stops in its middle until this latch lets it go on, if there is one
 */
public record Scripted(
    int status,
    String body,
    Map<String, String> headers,
    Duration delay,
    @Nullable CountDownLatch until,
    Ending ending,
    Duration pace,
    @Nullable CountDownLatch midway) {

  private Scripted(int status, String body, Map<String, String> headers) {
    this(status, body, headers, Duration.ZERO, null, Ending.WHOLE, Duration.ZERO, null);
  }

  /** Escapes what is not ASCII, so that half a surrogate pair travels as it is. */
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  /** How an answer ends on the wire. */
  enum Ending {
    WHOLE,
    CUT_IN_THE_MIDDLE,
    CONNECTION_CLOSED_UNANSWERED,
    NEVER
  }

  /** One call as a model writes it. */
  public record Call(@Nullable String id, String name, String arguments) {}

  public static Scripted say(String text) {
    return completion(text, List.of(), "stop", null);
  }

  public static Scripted call(String name, String arguments) {
    return calls(new Call("call_1", name, arguments));
  }

  public static Scripted calls(Call... calls) {
    return completion(null, List.of(calls), "tool_calls", null);
  }

  public static Scripted textAndCalls(String text, Call... calls) {
    return completion(text, List.of(calls), "tool_calls", null);
  }

  public static Scripted cutOff(@Nullable String text, Call... calls) {
    return completion(text, List.of(calls), "length", null);
  }

  public static Scripted contentFilter() {
    return completion(null, List.of(), "content_filter", null);
  }

  public static Scripted refusal(String refusal) {
    return completion(null, List.of(), "stop", refusal);
  }

  /** An error in OpenAI's format. */
  public static Scripted status(int status, Map<String, String> headers) {
    return error(status, "scripted failure", null).with(headers);
  }

  public static Scripted status(int status) {
    return status(status, Map.of());
  }

  /** An error that asks to wait: {@code Retry-After} in seconds or as an HTTP date. */
  public static Scripted status(int status, String retryAfter) {
    return status(status, Map.of("Retry-After", retryAfter));
  }

  /** An error with a message and a code of the vendor's, such as {@code model_not_found}. */
  public static Scripted error(int status, String message, @Nullable String code) {
    var root = JSON.createObjectNode();
    root.putObject("error")
        .put("message", message)
        .put("type", status < 500 ? "invalid_request_error" : "server_error")
        .putNull("param")
        .put("code", code);
    return raw(status, "application/json", written(root));
  }

  public static Scripted raw(int status, String contentType, String body) {
    return new Scripted(status, body, Map.of("Content-Type", contentType));
  }

  /** Status 200 with a body that is no JSON. */
  public static Scripted garbage() {
    return raw(200, "application/json", "}{ not json \u0001 at all");
  }

  /** Status 200 with a page, as captive portals and proxies send. */
  public static Scripted html() {
    return raw(200, "text/html", "<!doctype html><html><body>Please sign in</body></html>");
  }

  /** The connection breaks in the middle of the body. */
  public static Scripted brokenConnection() {
    return say("this never arrives whole").ending(Ending.CUT_IN_THE_MIDDLE);
  }

  /** The connection is closed before the first byte of an answer. */
  public static Scripted closedConnection() {
    return say("").ending(Ending.CONNECTION_CLOSED_UNANSWERED);
  }

  /** No answer ever; the connection stays open until the server is closed. */
  public static Scripted hang() {
    return say("").ending(Ending.NEVER);
  }

  public Scripted after(Duration wait) {
    return new Scripted(status, body, headers, wait, until, ending, pace, midway);
  }

  /** The answer waits until the test lets it go. */
  public Scripted heldBy(CountDownLatch latch) {
    return new Scripted(status, body, headers, delay, latch, ending, pace, midway);
  }

  /** Streamed, its pieces come this far apart. */
  public Scripted paced(Duration apart) {
    return new Scripted(status, body, headers, delay, until, ending, apart, midway);
  }

  /** Streamed, it stops in its middle until the test lets it go on. */
  public Scripted heldMidway(CountDownLatch latch) {
    return new Scripted(status, body, headers, delay, until, ending, pace, latch);
  }

  /** The server says that another model than the one asked answered. */
  public Scripted by(String model) {
    return edited(completion -> completion.put("model", model));
  }

  /** The same completion with another reason for its end. */
  public Scripted finish(String reason) {
    return edited(completion -> choice(completion).put("finish_reason", reason));
  }

  /** The same body after a change, for every malformed answer that a test can think of. */
  public Scripted edited(Consumer<ObjectNode> change) {
    try {
      var node = (ObjectNode) JSON.readTree(body);
      change.accept(node);
      return new Scripted(status, written(node), headers, delay, until, ending, pace, midway);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The one choice of a completion, to be edited. */
  public static ObjectNode choice(ObjectNode completion) {
    return (ObjectNode) completion.path("choices").path(0);
  }

  /** The message of the one choice, to be edited. */
  public static ObjectNode message(ObjectNode completion) {
    return (ObjectNode) choice(completion).path("message");
  }

  /** The same answer with these headers and no others of its own. */
  public Scripted with(Map<String, String> newHeaders) {
    return new Scripted(status, body, newHeaders, delay, until, ending, pace, midway);
  }

  private Scripted ending(Ending newEnding) {
    return new Scripted(status, body, headers, delay, until, newEnding, pace, midway);
  }

  private static Scripted completion(
      @Nullable String text, List<Call> calls, String finish, @Nullable String refusal) {
    var root = JSON.createObjectNode();
    root.put("id", "chatcmpl-fake").put("object", "chat.completion").put("created", 1_700_000_000L);
    root.put("model", "fake-model-2026-01-01");
    var choice = root.putArray("choices").addObject();
    choice.put("index", 0).put("finish_reason", finish).putNull("logprobs");
    var message = choice.putObject("message");
    message.put("role", "assistant").put("content", text).put("refusal", refusal);
    if (!calls.isEmpty()) {
      var array = message.putArray("tool_calls");
      for (var call : calls) {
        var one = array.addObject();
        if (call.id() != null) {
          one.put("id", call.id());
        }
        one.put("type", "function");
        one.putObject("function").put("name", call.name()).put("arguments", call.arguments());
      }
    }
    root.putObject("usage")
        .put("prompt_tokens", 100)
        .put("completion_tokens", 10)
        .put("total_tokens", 110);
    return new Scripted(200, written(root), Map.of());
  }

  private static String written(ObjectNode node) {
    try {
      return JSON.writeValueAsString(node);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
