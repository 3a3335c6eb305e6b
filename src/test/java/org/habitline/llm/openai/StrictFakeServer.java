package org.habitline.llm.openai;

import com.fasterxml.jackson.core.JsonProcessingException;
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
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * A local server that speaks Chat Completions and holds its callers to the vendor's rules: what the
 * real API answers with 400 it answers with 400, and remembers as a violation. Replies are
 * scripted: a queue first, then a function of the request.
 */
public final class StrictFakeServer implements AutoCloseable {

  private static final JsonMapper JSON = new JsonMapper();

  static {
    // Read once by the JDK's server: no stalls of 40 ms by Nagle's algorithm, and the connections
    // of several hundred callers are kept.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    System.setProperty("sun.net.httpserver.maxIdleConnections", "5000");
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final AtomicInteger pending = new AtomicInteger();
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

    /** Whether the answer is wanted piece by piece. */
    public boolean streams() {
      return body.path("stream").asBoolean(false);
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
      http.setExecutor(fake.threads);
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

  /** How many requests wait for their answer at this moment. */
  public int pending() {
    return pending.get();
  }

  public void forget() {
    asked.clear();
    violations.clear();
    queue.clear();
  }

  private void handle(HttpExchange exchange) throws IOException {
    pending.incrementAndGet();
    try (exchange) {
      var body = parsed(exchange.getRequestBody().readAllBytes());
      var key = exchange.getRequestHeaders().getFirst("Authorization");
      if (key == null || !key.matches("Bearer \\S+")) {
        send(exchange, Scripted.error(401, "You didn't provide an API key.", null), List.of());
        return;
      }
      var wrong = VendorRules.broken(body);
      if (wrong.isPresent()) {
        violations.add(wrong.get());
        send(exchange, Scripted.error(400, wrong.get(), null), List.of());
        return;
      }
      var request = new Asked(body, key);
      asked.add(request);
      var scripted = queue.poll();
      var answer = scripted == null ? otherwise.apply(request) : scripted;
      send(exchange, answer, request.streams() ? Chunks.of(answer, request.body()) : List.of());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      pending.decrementAndGet();
    }
  }

  private static JsonNode parsed(byte[] body) throws IOException {
    try {
      return JSON.readTree(body);
    } catch (JsonProcessingException e) {
      return JSON.missingNode();
    }
  }

  /** Sends an answer: whole, or in these pieces if there are any. */
  private void send(HttpExchange exchange, Scripted scripted, List<String> chunks)
      throws IOException, InterruptedException {
    var latch = scripted.until();
    if (latch != null) {
      latch.await();
    }
    if (scripted.delay().isPositive()
        && closed.await(scripted.delay().toMillis(), TimeUnit.MILLISECONDS)) {
      return;
    }
    var body = chunks.isEmpty() ? List.of(scripted.body()) : chunks;
    switch (scripted.ending()) {
      case NEVER -> closed.await();
      case CONNECTION_CLOSED_UNANSWERED -> {}
      case CUT_IN_THE_MIDDLE -> write(exchange, scripted, body, 2);
      case WHOLE -> write(exchange, scripted, body, 1);
    }
  }

  /** The length is told even of a stream, so that one that is cut is seen to be. */
  private void write(HttpExchange exchange, Scripted scripted, List<String> pieces, int part)
      throws IOException, InterruptedException {
    var length = pieces.stream().mapToLong(StrictFakeServer::bytes).sum();
    exchange
        .getResponseHeaders()
        .set("Content-Type", pieces.size() > 1 ? "text/event-stream" : "application/json");
    exchange.getResponseHeaders().set("x-request-id", "req_fake");
    scripted.headers().forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
    exchange.sendResponseHeaders(scripted.status(), length == 0 ? -1 : length);
    var left = length / part;
    for (int i = 0; i < pieces.size() && left > 0; i++) {
      if (i == pieces.size() / 2 && scripted.midway() != null) {
        scripted.midway().await();
      }
      if (i > 0
          && scripted.pace().isPositive()
          && closed.await(scripted.pace().toMillis(), TimeUnit.MILLISECONDS)) {
        return;
      }
      var bytes = pieces.get(i).getBytes(StandardCharsets.UTF_8);
      exchange.getResponseBody().write(bytes, 0, (int) Math.min(left, bytes.length));
      exchange.getResponseBody().flush();
      left -= bytes.length;
    }
  }

  private static long bytes(String piece) {
    return piece.getBytes(StandardCharsets.UTF_8).length;
  }

  @Override
  public void close() {
    closed.countDown();
    threads.shutdownNow();
    server.stop(0);
  }
}
