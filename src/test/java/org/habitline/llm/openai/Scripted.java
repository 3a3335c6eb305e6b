package org.habitline.llm.openai;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * What the strict fake answers to one request.
 *
 * @param status the HTTP status
 * @param body the body, as it goes over the wire
 * @param until the answer waits for this latch, if there is one
 * @param cut whether the connection breaks in the middle of the body
 */
public record Scripted(
    int status,
    String body,
    Map<String, String> headers,
    Duration delay,
    @Nullable CountDownLatch until,
    boolean cut) {

  private static final JsonMapper JSON = new JsonMapper();

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

  public static Scripted status(int status, Map<String, String> headers) {
    return new Scripted(
        status,
        "{\"error\":{\"message\":\"scripted failure\",\"type\":\"server_error\",\"code\":null}}",
        headers,
        Duration.ZERO,
        null,
        false);
  }

  public static Scripted raw(int status, String contentType, String body) {
    return new Scripted(
        status, body, Map.of("Content-Type", contentType), Duration.ZERO, null, false);
  }

  public static Scripted brokenConnection() {
    return new Scripted(
        200, say("this never arrives whole").body(), Map.of(), Duration.ZERO, null, true);
  }

  public Scripted after(Duration wait) {
    return new Scripted(status, body, headers, wait, until, cut);
  }

  /** The answer waits until the test lets it go. */
  public Scripted heldBy(CountDownLatch latch) {
    return new Scripted(status, body, headers, delay, latch, cut);
  }

  /** The server says that another model than the one asked answered. */
  public Scripted by(String model) {
    try {
      var node = (ObjectNode) JSON.readTree(body);
      node.put("model", model);
      return new Scripted(status, node.toString(), headers, delay, until, cut);
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
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
    return new Scripted(200, root.toString(), Map.of(), Duration.ZERO, null, false);
  }
}
