package org.habitline.llm.openai;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.stream.Collectors;
import org.habitline.llm.ModelMessage;

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
  private final List<Asked> refused = new CopyOnWriteArrayList<>();
  private volatile List<StandIn> standIns = List.of();
  private volatile Function<Asked, Scripted> otherwise = request -> Scripted.say("All right.");

  /**
   * One request as it came in.
   *
   * @param authorization the header of this name, or empty
   * @param apiKey the header {@code api-key}, or empty
   * @param target path and query
   */
  public record Asked(JsonNode body, String authorization, String apiKey, String target) {

    private static final String EVENT = "\n\n# What just happened\n";

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

    /** What the system message says just happened, or empty. */
    public String event() {
      var said = String.join("", texts("system"));
      var at = said.indexOf(EVENT);
      return at < 0 ? "" : said.substring(at + EVENT.length());
    }

    /**
     * Checks that the request is the beginning of the stored conversation, of which only its answer
     * and what came of that may be left: what the line said stands in the system message, all else
     * in order, and nothing is added but what stands for a missing text.
     */
    public void begins(List<? extends ModelMessage> stored) {
      assertThat(texts("system")).hasSize(1);
      assertThat(texts("system").getFirst())
          .isEqualTo(
              stored.stream()
                  .filter(ModelMessage.SystemText.class::isInstance)
                  .map(ModelMessage::content)
                  .collect(Collectors.joining("\n\n")));
      var asked =
          messages().stream()
              .filter(message -> !message.path("role").asText().equals("system"))
              .map(message -> message.path("content").asText(""))
              .filter(text -> !text.equals("(continue)"))
              .toList();
      var said =
          stored.stream().filter(message -> !(message instanceof ModelMessage.SystemText)).toList();
      assertThat(said.subList(0, asked.size()))
          .extracting(message -> message.content() == null ? "" : message.content())
          .containsExactlyElementsOf(asked);
      var left = said.subList(asked.size(), said.size());
      assertThat(left.stream().filter(ModelMessage.AssistantText.class::isInstance))
          .hasSizeLessThan(2);
      assertThat(left).noneMatch(ModelMessage.UserText.class::isInstance);
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
      http.createContext("/", fake::handle);
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

  /** Behaves like these servers from now on. */
  public StrictFakeServer as(StandIn... servers) {
    standIns = List.of(servers);
    return this;
  }

  /** The requests that a stand-in did not take. */
  public List<Asked> refused() {
    return List.copyOf(refused);
  }

  public void forget() {
    asked.clear();
    refused.clear();
    standIns = List.of();
    violations.clear();
    queue.clear();
  }

  private void handle(HttpExchange exchange) throws IOException {
    pending.incrementAndGet();
    try (exchange) {
      var body = parsed(exchange.getRequestBody().readAllBytes());
      var request =
          new Asked(
              body,
              header(exchange, "Authorization"),
              header(exchange, "api-key"),
              exchange.getRequestURI().toString());
      if (!request.target().matches("/v1/chat/completions|/openai/.*/chat/completions(\\?.*)?")) {
        send(exchange, Scripted.error(404, "Resource not found", null), List.of());
        return;
      }
      if (!request.authorization().matches("Bearer \\S+") && request.apiKey().isEmpty()) {
        send(exchange, Scripted.error(401, "You didn't provide an API key.", null), List.of());
        return;
      }
      var wrong = VendorRules.broken(body);
      if (wrong.isPresent()) {
        violations.add(wrong.get());
        send(exchange, Scripted.error(400, wrong.get(), null), List.of());
        return;
      }
      var refusal =
          standIns.stream().flatMap(standIn -> standIn.refuses(request).stream()).findFirst();
      if (refusal.isPresent()) {
        refused.add(request);
        send(exchange, refusal.get(), List.of());
        return;
      }
      asked.add(request);
      var scripted = queue.poll();
      var answer = scripted == null ? otherwise.apply(request) : scripted;
      for (var standIn : standIns) {
        answer = standIn.dressed(answer);
      }
      send(exchange, answer, request.streams() ? Chunks.of(answer, request.body()) : List.of());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      pending.decrementAndGet();
    }
  }

  private static String header(HttpExchange exchange, String name) {
    var value = exchange.getRequestHeaders().getFirst(name);
    return value == null ? "" : value;
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
