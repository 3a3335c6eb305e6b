package org.habitline.llm.openai;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A local server that speaks Chat Completions and holds its callers to the vendor's rules: what the
 * real API answers with 400 it answers with 400, and remembers as a violation. Replies are
 * scripted: a queue first, then a function of the request.
 */
public final class StrictFakeServer implements AutoCloseable {

  private static final JsonMapper JSON = new JsonMapper();
  private static final Set<String> ROLES =
      Set.of("system", "developer", "user", "assistant", "tool");

  private final HttpServer server;
  private final Queue<Scripted> queue = new ConcurrentLinkedQueue<>();
  private final List<Asked> asked = new CopyOnWriteArrayList<>();
  private final List<String> violations = new CopyOnWriteArrayList<>();
  private volatile Function<Asked, Scripted> otherwise = request -> Scripted.say("All right.");

  /** One request as it came in. */
  public record Asked(JsonNode body, String authorization) {

    public List<JsonNode> messages() {
      var all = new ArrayList<JsonNode>();
      body.path("messages").forEach(all::add);
      return all;
    }

    public List<String> texts(String role) {
      return messages().stream()
          .filter(message -> message.path("role").asText().equals(role))
          .map(message -> message.path("content").asText())
          .toList();
    }

    public String lastUserText() {
      var texts = texts("user");
      return texts.isEmpty() ? "" : texts.getLast();
    }

    /** How many tool results the request already shows. */
    public int toolResults() {
      return texts("tool").size();
    }

    public boolean mustSpeak() {
      return body.path("tool_choice").asText().equals("none");
    }

    public boolean hasTools() {
      return body.has("tools");
    }
  }

  private StrictFakeServer(HttpServer server) {
    this.server = server;
  }

  public static StrictFakeServer start() {
    try {
      var http =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
      var fake = new StrictFakeServer(http);
      http.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
      http.createContext("/v1/chat/completions", fake::handle);
      http.start();
      return fake;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String baseUrl() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/v1";
  }

  /** These answers come first, in order. */
  public StrictFakeServer then(Scripted... scripted) {
    queue.addAll(List.of(scripted));
    return this;
  }

  /** What is answered when the queue is empty. */
  public StrictFakeServer otherwise(Function<Asked, Scripted> answer) {
    otherwise = answer;
    return this;
  }

  /** Every request so far, in the order of arrival. */
  public List<Asked> asked() {
    return List.copyOf(asked);
  }

  /** What callers did that the vendor forbids. */
  public List<String> violations() {
    return List.copyOf(violations);
  }

  public void forget() {
    asked.clear();
    violations.clear();
    queue.clear();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      var bytes = exchange.getRequestBody().readAllBytes();
      var body = JSON.readTree(bytes);
      var wrong = violation(body);
      if (wrong.isPresent()) {
        violations.add(wrong.get());
        send(exchange, badRequest(wrong.get()));
        return;
      }
      var header = exchange.getRequestHeaders().getFirst("Authorization");
      var request = new Asked(body, header == null ? "" : header);
      asked.add(request);
      var scripted = queue.poll();
      send(exchange, scripted == null ? otherwise.apply(request) : scripted);
    }
  }

  private static void send(HttpExchange exchange, Scripted scripted) throws IOException {
    try {
      if (scripted.until() != null) {
        var _ = scripted.until().await(5, TimeUnit.MINUTES);
      }
      if (scripted.delay().isPositive()) {
        TimeUnit.MILLISECONDS.sleep(scripted.delay().toMillis());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    var bytes = scripted.body().getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.getResponseHeaders().set("x-request-id", "req_fake");
    scripted.headers().forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
    exchange.sendResponseHeaders(scripted.status(), bytes.length);
    var sent = scripted.cut() ? bytes.length / 2 : bytes.length;
    exchange.getResponseBody().write(bytes, 0, sent);
  }

  private static Scripted badRequest(String sentence) {
    return Scripted.raw(
        400,
        "application/json",
        "{\"error\":{\"message\":\"" + sentence + "\",\"type\":\"invalid_request_error\"}}");
  }

  /** Returns the first rule that a request breaks, if it breaks one. */
  private static Optional<String> violation(JsonNode body) {
    if (!body.path("model").isTextual()) {
      return Optional.of("model is missing");
    }
    if (!body.path("messages").isArray() || body.path("messages").isEmpty()) {
      return Optional.of("messages is missing or empty");
    }
    if (!body.has("tools") && (body.has("tool_choice") || body.has("parallel_tool_calls"))) {
      return Optional.of("tool_choice and parallel_tool_calls are only allowed with tools");
    }
    return tools(body).or(() -> messages(body.path("messages")));
  }

  private static Optional<String> tools(JsonNode body) {
    if (body.has("tools") && body.path("tools").isEmpty()) {
      return Optional.of("tools is empty");
    }
    for (var tool : body.path("tools")) {
      var function = tool.path("function");
      if (!function.path("name").asText().matches("[a-zA-Z0-9_-]{1,64}")) {
        return Optional.of("a function has no usable name");
      }
      if (function.path("strict").asBoolean() && !strict(function.path("parameters"))) {
        return Optional.of("the schema of " + function.path("name").asText() + " is not strict");
      }
    }
    return Optional.empty();
  }

  private static boolean strict(JsonNode schema) {
    if (!schema.has("properties")) {
      return true;
    }
    var required = new HashSet<String>();
    schema.path("required").forEach(name -> required.add(name.asText()));
    var names = new HashSet<String>();
    schema.path("properties").fieldNames().forEachRemaining(names::add);
    return schema.path("additionalProperties").isBoolean()
        && !schema.path("additionalProperties").asBoolean()
        && required.equals(names);
  }

  private static Optional<String> messages(JsonNode messages) {
    var open = new HashSet<String>();
    for (var message : messages) {
      var role = message.path("role").asText();
      if (!ROLES.contains(role)) {
        return Optional.of("unknown role");
      }
      if (role.equals("tool")) {
        if (!open.remove(message.path("tool_call_id").asText())) {
          return Optional.of("a tool message answers no call before it");
        }
        continue;
      }
      if (!open.isEmpty()) {
        return Optional.of("a tool call has no result");
      }
      var calls = message.path("tool_calls");
      if (message.has("tool_calls") && (!calls.isArray() || calls.isEmpty())) {
        return Optional.of("tool_calls is empty");
      }
      if (!message.path("content").isTextual() && calls.isEmpty()) {
        return Optional.of("content is missing");
      }
      for (var call : calls) {
        if (!open.add(call.path("id").asText())) {
          return Optional.of("a tool call id is repeated");
        }
      }
    }
    return open.isEmpty() ? Optional.empty() : Optional.of("a tool call has no result");
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
