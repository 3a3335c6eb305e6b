package org.habitline.ops.database;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.micronaut.context.ApplicationContext;
import io.micronaut.runtime.server.EmbeddedServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.h2.mvstore.MVStore;
import org.habitline.TestDatabase;
import org.habitline.storage.Transactions;

/** The whole program behind its HTTP doors, on a fresh folder and a free port. */
public final class Doors implements AutoCloseable {

  public static final String ADMIN_KEY = "the-admin-key-of-these-tests";

  private static final JsonMapper JSON = new JsonMapper();

  private final EmbeddedServer server;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();

  private Doors(EmbeddedServer server) {
    this.server = server;
  }

  public static Path freshHome() {
    try {
      var homes = Files.createDirectories(Path.of("target", "doors"));
      return Files.createTempDirectory(homes, "home").toAbsolutePath();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Opens them with these settings beside the admin key and a free port. */
  public static Doors open(Map<String, Object> settings) {
    var home = freshHome();
    var properties =
        new HashMap<String, Object>(
            Map.of(
                "habitline.home",
                home.toString(),
                "habitline.port",
                "0",
                "habitline.admin-key",
                ADMIN_KEY));
    properties.putAll(TestDatabase.fresh(home));
    properties.putAll(settings);
    var context = ApplicationContext.builder().properties(properties).start();
    try {
      TestRoutes.addTo(context);
      return new Doors(context.getBean(EmbeddedServer.class).start());
    } catch (RuntimeException e) {
      context.close();
      throw e;
    }
  }

  /** The store behind a transaction. */
  Optional<MVStore> mvStore() {
    var transactions = bean(Transactions.class);
    return transactions.readWith(connection -> FileCompaction.store(connection));
  }

  public ApplicationContext context() {
    return server.getApplicationContext();
  }

  public <T> T bean(Class<T> type) {
    return context().getBean(type);
  }

  public String host() {
    return "127.0.0.1:" + server.getPort();
  }

  /** Connects to them, for whoever speaks byte by byte. */
  public Socket connect() throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), server.getPort());
  }

  /** The answer of {@link TestRoutes#FAILING} when it fails like this. */
  public Answer failing(Call call, Supplier<Exception> fault) {
    bean(TestRoutes.FailingFilter.class).next(fault);
    return call.get();
  }

  /** An answer; its body is JSON or a page. */
  public record Answer(HttpResponse<String> response) {
    public int status() {
      return response.statusCode();
    }

    public String text() {
      return response.body();
    }

    public JsonNode json() {
      try {
        return JSON.readTree(response.body());
      } catch (IOException e) {
        throw new UncheckedIOException(response.body(), e);
      }
    }

    public String message() {
      var body = json();
      if (!body.path("status").asText().equals("error") || body.size() != 2) {
        throw new AssertionError("Not the envelope of an error: " + body);
      }
      return body.path("message").asText();
    }

    public String header(String name) {
      return response.headers().firstValue(name).orElse("");
    }

    /** The session that the answer opened, as the browser would send it back. */
    public String cookie() {
      return header("Set-Cookie").replaceFirst(";.*", "");
    }
  }

  /** A request being put together. */
  public final class Call {
    private final HttpRequest.Builder builder;

    private Call(String path) {
      builder = HttpRequest.newBuilder(URI.create("http://" + host() + path));
    }

    public Call header(String name, String value) {
      builder.header(name, value);
      return this;
    }

    public Call key(String key) {
      return header("Authorization", "Bearer " + key);
    }

    public Call browser() {
      return header("Accept", "text/html,application/xhtml+xml,*/*;q=0.8");
    }

    public Answer get() {
      builder.GET();
      return send();
    }

    public Answer json(String body) {
      header("Content-Type", "application/json");
      return send("POST", body);
    }

    public Answer form(String name, String value) {
      header("Content-Type", "application/x-www-form-urlencoded");
      return send("POST", name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8));
    }

    public Answer send(String method, String body) {
      builder.method(
          method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
      return send();
    }

    /** Sends the body in chunks, without saying its length. */
    public Answer chunked(String body) {
      header("Content-Type", "application/json");
      builder.POST(
          BodyPublishers.fromPublisher(
              BodyPublishers.ofByteArrays(
                  body.chars().mapToObj(c -> new byte[] {(byte) c}).toList())));
      return send();
    }

    private Answer send() {
      try {
        return new Answer(http.send(builder.build(), HttpResponse.BodyHandlers.ofString()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }
  }

  public Call at(String path) {
    return new Call(path);
  }

  /** Makes a key over the API and returns it. */
  public JsonNode newKey(String name, String role) {
    var answer =
        at("/keys").key(ADMIN_KEY).json("{\"name\":\"%s\",\"role\":\"%s\"}".formatted(name, role));
    if (answer.status() != 201) {
      throw new AssertionError(answer.text());
    }
    return answer.json().path("result");
  }

  /** Signs in and returns the cookie. */
  public String signIn(String secret) {
    var answer = at("/login").form("secret", secret);
    if (answer.status() != 303) {
      throw new AssertionError(answer.status() + answer.text());
    }
    return answer.cookie();
  }

  @Override
  public void close() {
    http.close();
    server.close();
    context().close();
  }
}
