package org.habitline.tools.mcp;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A local server that speaks streamable HTTP, written by hand: it can be away, slow, answer
 * nonsense and change its tools, and remembers what it was asked to do.
 */
public final class FakeMcpServer implements AutoCloseable {

  private static final JsonMapper JSON = new JsonMapper();
  private static final String SESSION = "Mcp-Session-Id";

  private final int port;
  private final AtomicInteger sessions = new AtomicInteger();
  private final Set<String> known = ConcurrentHashMap.newKeySet();
  private final Map<String, ObjectNode> tools = new ConcurrentSkipListMap<>();
  private final List<Called> calls = new CopyOnWriteArrayList<>();
  private final Queue<Reply> replies = new ConcurrentLinkedQueue<>();
  private final List<OutputStream> streams = new CopyOnWriteArrayList<>();
  private volatile ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private volatile CountDownLatch gone = new CountDownLatch(1);
  private volatile @Nullable HttpServer server;
  private final AtomicInteger pages = new AtomicInteger();
  private volatile boolean endless;
  private volatile Optional<String> insteadOfEverything = Optional.empty();

  /**
   * One call of a tool.
   *
   * @param authorization the header of this name, or empty
   */
  public record Called(String tool, JsonNode arguments, String authorization) {}

  /** What is answered to one call. */
  private record Reply(
      int status, String type, String body, boolean raw, @Nullable CountDownLatch until) {}

  private FakeMcpServer(int port) {
    this.port = port;
  }

  /** Starts a server with one tool, {@code find_slots}. */
  public static FakeMcpServer start() {
    var fake = new FakeMcpServer(freePort());
    fake.tool("find_slots", "{'type':'object','properties':{'day':{'type':'string'}}}");
    fake.back();
    return fake;
  }

  private static int freePort() {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String url() {
    return "http://127.0.0.1:" + port + "/mcp";
  }

  /** Gives it a tool, or changes one; the schema is JSON with single quotes. */
  public void tool(String name, String schema) {
    var tool = JSON.createObjectNode().put("name", name).put("description", "Does " + name + ".");
    tools.put(name, tool.set("inputSchema", json(schema.replace('\'', '"'))));
  }

  public void without(String tool) {
    tools.remove(tool);
  }

  /** The next call has this result, JSON with single quotes. */
  public FakeMcpServer then(String result) {
    replies.add(new Reply(200, "application/json", result.replace('\'', '"'), false, null));
    return this;
  }

  /** The next call is carried out, but this comes back instead of an answer. */
  public FakeMcpServer thenRaw(int status, String type, String body) {
    replies.add(new Reply(status, type, body, true, null));
    return this;
  }

  /** The next call waits for the latch. */
  public FakeMcpServer thenHeldBy(CountDownLatch latch, String text) {
    replies.add(new Reply(200, "application/json", text(text), false, latch));
    return this;
  }

  /** Whatever is asked is answered with this, or with sense again. */
  public void insteadOfEverything(Optional<String> body) {
    insteadOfEverything = body;
  }

  /** Its list of tools has always one more page. */
  public void listsForEver() {
    endless = true;
  }

  /** A result that is one text. */
  public static String text(String text) {
    return JSON.createObjectNode()
        .set("content", JSON.createArrayNode().add(textPart(text)))
        .toString();
  }

  private static ObjectNode textPart(String text) {
    return JSON.createObjectNode().put("type", "text").put("text", text);
  }

  /** What was called, in order. */
  public List<Called> calls() {
    return List.copyOf(calls);
  }

  /** Tells whoever listens that the tools have changed. */
  public void tellThatToolsChanged() throws IOException {
    for (var stream : streams) {
      stream.write(
          "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n"
              .getBytes(StandardCharsets.UTF_8));
      stream.flush();
    }
  }

  public int listeners() {
    return streams.size();
  }

  /** Nobody can connect any more, and its sessions are forgotten. */
  public void away() {
    var running = server;
    if (running != null) {
      gone.countDown();
      threads.shutdownNow();
      running.stop(0);
      known.clear();
      streams.clear();
      server = null;
    }
  }

  /** Runs again, at the same place. */
  public void back() {
    try {
      gone = new CountDownLatch(1);
      threads = Executors.newVirtualThreadPerTaskExecutor();
      var http =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 64);
      http.setExecutor(threads);
      http.createContext("/mcp", this::handle);
      http.start();
      server = http;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      var session = exchange.getRequestHeaders().getFirst(SESSION);
      var nonsense = insteadOfEverything;
      if (nonsense.isPresent()) {
        send(exchange, 200, "application/json", nonsense.get());
      } else if (session != null && !known.contains(session)) {
        send(exchange, 404, "text/plain", "no such session");
      } else if (exchange.getRequestMethod().equals("GET")) {
        listen(exchange);
      } else if (exchange.getRequestMethod().equals("DELETE")) {
        known.remove(String.valueOf(session));
        send(exchange, 200, "text/plain", "");
      } else {
        post(exchange, JSON.readTree(exchange.getRequestBody().readAllBytes()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void listen(HttpExchange exchange) throws IOException, InterruptedException {
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    exchange.getResponseBody().flush();
    streams.add(exchange.getResponseBody());
    gone.await();
  }

  private void post(HttpExchange exchange, JsonNode message)
      throws IOException, InterruptedException {
    if (!message.has("id")) {
      send(exchange, 202, "text/plain", "");
      return;
    }
    switch (message.path("method").asText()) {
      case "initialize" -> {
        var session = "session-" + sessions.incrementAndGet();
        known.add(session);
        exchange.getResponseHeaders().set(SESSION, session);
        result(
            exchange,
            message,
            """
            {"protocolVersion":%s,"capabilities":{"tools":{"listChanged":true}},
             "serverInfo":{"name":"fake","version":"1"}}\
            """
                .formatted(message.at("/params/protocolVersion")));
      }
      case "tools/list" -> {
        var list = JSON.createObjectNode();
        list.putArray("tools").addAll(tools.values());
        if (endless) {
          list.put("nextCursor", "page-" + pages.incrementAndGet());
        }
        result(exchange, message, list.toString());
      }
      case "tools/call" -> call(exchange, message);
      default -> result(exchange, message, "{}");
    }
  }

  private void call(HttpExchange exchange, JsonNode message)
      throws IOException, InterruptedException {
    var authorization = exchange.getRequestHeaders().getFirst("Authorization");
    calls.add(
        new Called(
            message.at("/params/name").asText(),
            message.at("/params/arguments"),
            authorization == null ? "" : authorization));
    var reply = replies.poll();
    if (reply == null) {
      result(exchange, message, text("done"));
      return;
    }
    if (reply.until() != null) {
      reply.until().await();
    }
    if (reply.raw()) {
      send(exchange, reply.status(), reply.type(), reply.body());
    } else {
      result(exchange, message, reply.body());
    }
  }

  private static void result(HttpExchange exchange, JsonNode message, String result)
      throws IOException {
    var answer = JSON.createObjectNode().put("jsonrpc", "2.0");
    answer.set("id", message.path("id"));
    answer.set(result.startsWith("{\"code\"") ? "error" : "result", json(result));
    send(exchange, 200, "application/json", answer.toString());
  }

  private static void send(HttpExchange exchange, int status, String type, String body)
      throws IOException {
    var bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  @Override
  public void close() {
    away();
  }
}
