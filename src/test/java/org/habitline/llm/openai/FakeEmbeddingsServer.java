package org.habitline.llm.openai;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.openai.client.OpenAIClient;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.habitline.llm.Embeddings;
import org.jspecify.annotations.Nullable;

/**
 * A local server with an embeddings endpoint, which holds its callers to OpenAI's rules, and the
 * client of it as the factory builds it. It can fail, hang and answer anything.
 */
public final class FakeEmbeddingsServer implements AutoCloseable {

  static final String KEY = "sk-a-key-that-nobody-may-read";

  private static final JsonMapper JSON = new JsonMapper();

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final List<Asked> asked = new CopyOnWriteArrayList<>();
  private final List<String> violations = new CopyOnWriteArrayList<>();
  private final List<OpenAIClient> clients = new CopyOnWriteArrayList<>();
  private volatile Function<List<String>, Answer> answers;

  /** One request as it came in. */
  public record Asked(JsonNode body, String authorization, String apiKey, String target) {

    public List<String> texts() {
      var texts = new ArrayList<String>();
      body.path("input").forEach(text -> texts.add(text.asText()));
      return texts;
    }
  }

  /**
   * What the server sends.
   *
   * @param body the body, or {@code null} to leave the caller waiting until the server is closed
   */
  public record Answer(int status, @Nullable String body) {

    public static Answer status(int status) {
      return new Answer(
          status, "{\"error\":{\"message\":\"scripted failure\",\"type\":\"server_error\"}}");
    }

    public static Answer never() {
      return new Answer(200, null);
    }

    /** A list of embeddings, numbered from the first. */
    public static Answer vectors(List<float[]> vectors) {
      var root = JSON.createObjectNode().put("object", "list").put("model", "fake-embedding");
      var data = root.putArray("data");
      for (int i = 0; i < vectors.size(); i++) {
        var one = data.addObject().put("object", "embedding").put("index", i);
        var numbers = one.putArray("embedding");
        for (var number : vectors.get(i)) {
          numbers.add(number);
        }
      }
      root.putObject("usage").put("prompt_tokens", 1).put("total_tokens", 1);
      return new Answer(200, root.toString());
    }
  }

  private FakeEmbeddingsServer(HttpServer server, Function<List<String>, Answer> answers) {
    this.server = server;
    this.answers = answers;
  }

  /** Starts a server that answers each text with the vector of this function. */
  public static FakeEmbeddingsServer start(Function<String, float[]> vector) {
    try {
      var http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
      var fake = new FakeEmbeddingsServer(http, each(vector));
      http.setExecutor(fake.threads);
      http.createContext("/", fake::handle);
      http.start();
      return fake;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static Function<List<String>, Answer> each(Function<String, float[]> vector) {
    return texts -> Answer.vectors(texts.stream().map(vector).toList());
  }

  /** Answers this way from now on. */
  public void answer(Function<List<String>, Answer> how) {
    answers = how;
  }

  public Embeddings client() {
    return client("http://127.0.0.1:" + server.getAddress().getPort() + "/v1", null);
  }

  /** A client of Azure OpenAI, with this version in its URLs. */
  Embeddings azure(String apiVersion) {
    return client("http://127.0.0.1:" + server.getAddress().getPort(), apiVersion);
  }

  private Embeddings client(String baseUrl, @Nullable String apiVersion) {
    var settings =
        new OpenAiSettings(KEY, baseUrl, "model-a", null, " fake-embedding ", apiVersion);
    var factory = new OpenAiFactory();
    var client = factory.client(settings);
    clients.add(client);
    return factory.embeddings(client, settings, Clock.systemUTC());
  }

  /** Every request so far, in the order of arrival. */
  public List<Asked> asked() {
    return List.copyOf(asked);
  }

  /** What callers did that OpenAI forbids. */
  public List<String> violations() {
    return List.copyOf(violations);
  }

  /** Refuses every connection from now on. */
  void leave() {
    server.stop(0);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      var request =
          new Asked(
              JSON.readTree(exchange.getRequestBody().readAllBytes()),
              header(exchange, "Authorization"),
              header(exchange, "api-key"),
              exchange.getRequestURI().toString());
      broken(request).forEach(violations::add);
      asked.add(request);
      var answer = violations.isEmpty() ? answers.apply(request.texts()) : Answer.status(400);
      if (answer.body() == null) {
        closed.await();
        return;
      }
      var bytes = answer.body().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(answer.status(), bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static List<String> broken(Asked request) {
    var broken = new ArrayList<String>();
    if (!request.target().matches("/v1/embeddings|/openai/deployments/[^/]+/embeddings\\?.*")) {
      broken.add("no such resource: " + request.target());
    }
    if (!request.authorization().equals("Bearer " + KEY) && !request.apiKey().equals(KEY)) {
      broken.add("no key");
    }
    request
        .body()
        .fieldNames()
        .forEachRemaining(name -> {
          if (!Set.of("model", "input", "encoding_format").contains(name)) {
            broken.add("unknown parameter " + name);
          }
        });
    if (!request.body().path("model").asText().equals("fake-embedding")) {
      broken.add("no model");
    }
    if (!request.body().path("encoding_format").asText().equals("float")) {
      broken.add("not every server knows another encoding");
    }
    var input = request.body().path("input");
    if (!input.isArray() || input.isEmpty() || input.size() > 100) {
      broken.add("input is no list of 1 to 100 texts");
    }
    input.forEach(text -> {
      if (!text.isTextual() || text.asText().isBlank()) {
        broken.add("input holds an empty text");
      }
    });
    return broken;
  }

  private static String header(HttpExchange exchange, String name) {
    var value = exchange.getRequestHeaders().getFirst(name);
    return value == null ? "" : value;
  }

  @Override
  public void close() {
    closed.countDown();
    clients.forEach(OpenAIClient::close);
    threads.shutdownNow();
    server.stop(0);
  }
}
