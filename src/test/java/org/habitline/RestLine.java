package org.habitline;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.zaxxer.hikari.HikariDataSource;
import io.micronaut.data.connection.jdbc.advice.DelegatingDataSource;
import io.micronaut.runtime.server.EmbeddedServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** The program with its server on a free port, and a client that speaks plain HTTP to it. */
public final class RestLine implements AutoCloseable {

  public static final String PARTICIPANTS = "/conversation/participants";

  /** The key from outside, which nobody can revoke. */
  public static final String ADMIN = "a-key-for-tests-only-0123456789";

  /** The setting of a test that is written to {@code config/study.yaml}. */
  public static final String STUDY = "test.study";

  /** The setting of a test that is written to {@code config/prices.yaml}. */
  public static final String PRICES = "test.prices";

  private static final JsonMapper JSON = new JsonMapper();
  private static final AtomicInteger NUMBERS = new AtomicInteger();

  private final Map<String, Object> properties;
  private final List<Object> beans;
  private final HttpClient client = HttpClient.newHttpClient();
  private EmbeddedServer server;

  private RestLine(Map<String, Object> properties, List<Object> beans) {
    this.properties = properties;
    this.beans = beans;
    this.server = run();
  }

  private EmbeddedServer run() {
    return TestBean.program(properties, beans).run(EmbeddedServer.class);
  }

  public static RestLine start(Class<?> test) {
    return start(test, Map.of());
  }

  /**
   * A line with these settings.
   *
   * @param beans of the test itself, such as a channel
   */
  public static RestLine start(Class<?> test, Map<String, String> settings, Object... beans) {
    var properties = FreshHome.properties(test);
    properties.putAll(settings);
    configured(properties, STUDY, "study.yaml");
    configured(properties, PRICES, "prices.yaml");
    properties.put("habitline.admin-key", ADMIN);
    return new RestLine(properties, List.of(beans));
  }

  private static void configured(Map<String, Object> properties, String setting, String file) {
    var text = properties.remove(setting);
    if (text != null) {
      RunningLine.write(
          Path.of(String.valueOf(properties.get("habitline.home")), "config", file),
          String.valueOf(text));
    }
  }

  /** A line whose home has this {@code config/study.yaml}. */
  public static RestLine of(
      Class<?> test, String study, Map<String, String> settings, Object... beans) {
    var properties = FreshHome.properties(test);
    properties.putAll(settings);
    properties.put("habitline.admin-key", ADMIN);
    try {
      var config = Path.of(String.valueOf(properties.get("habitline.home"))).resolve("config");
      Files.createDirectories(config);
      Files.writeString(config.resolve("study.yaml"), study);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new RestLine(properties, List.of(beans));
  }

  /** Another process on the same database and home. */
  public RestLine second() {
    return new RestLine(properties, beans);
  }

  /** The next start in the same home. */
  public void restart() {
    server.close();
    server = run();
  }

  /** What came back. */
  public record Answer(int status, HttpResponse<String> response, JsonNode body) {
    public JsonNode result() {
      return body.path("result");
    }

    public String message() {
      return body.path("message").asText();
    }
  }

  public Answer send(String method, String path, String body, String... headers) {
    return sendAs(ADMIN, method, path, body, headers);
  }

  public Answer sendAs(String key, String method, String path, String body, String... headers) {
    var request =
        HttpRequest.newBuilder(server.getURI().resolve(path))
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .header("Content-Type", "application/json");
    if (!key.isEmpty()) {
      request.header("Authorization", "Bearer " + key);
    }
    if (headers.length > 0) {
      request.headers(headers);
    }
    return answer(request.build());
  }

  /** Sends a file, or a form with one. */
  public Answer post(String path, String type, byte[] body, String... headers) {
    return postAs(ADMIN, path, type, body, headers);
  }

  public Answer postAs(String key, String path, String type, byte[] body, String... headers) {
    var request =
        HttpRequest.newBuilder(server.getURI().resolve(path))
            .POST(BodyPublishers.ofByteArray(body))
            .header("Content-Type", type)
            .header("Authorization", "Bearer " + key);
    if (headers.length > 0) {
      request.headers(headers);
    }
    return answer(request.build());
  }

  private Answer answer(HttpRequest request) {
    try {
      var response = client.send(request, BodyHandlers.ofString());
      return new Answer(response.statusCode(), response, json(response.body()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static JsonNode json(String body) {
    try {
      return JSON.readTree(body);
    } catch (JsonProcessingException notJson) {
      return JSON.nullNode();
    }
  }

  public Answer get(String path) {
    return send("GET", path, "");
  }

  public Answer enrol(Map<String, ?> said, String... headers) {
    return send("POST", PARTICIPANTS, write(said), headers);
  }

  /** Enrols somebody with a new number. */
  public JsonNode enrolled() {
    return enrol(someone()).result();
  }

  public static Map<String, Object> someone() {
    var said = new LinkedHashMap<String, Object>();
    said.put("phone_number", "+1206556" + (1000 + NUMBERS.incrementAndGet()));
    said.put("name", "Robin Example");
    return said;
  }

  public static String write(Object value) {
    try {
      return JSON.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** Makes a key of a role; returns the secret. */
  public String key(String name, String role) {
    return send("POST", "/keys", write(Map.of("name", name, "role", role)))
        .result()
        .path("key")
        .asText();
  }

  /** Makes a researcher's key that is limited to de-identified data; returns the secret. */
  public String deidentifiedKey(String name) {
    return send(
            "POST",
            "/keys",
            write(Map.of("name", name, "role", "researcher", "deidentified", true)))
        .result()
        .path("key")
        .asText();
  }

  public List<Map<String, Object>> rows(String sql, Object... arguments) {
    return FreshHome.rows(server.getApplicationContext(), sql, arguments);
  }

  public <T> T bean(Class<T> type) {
    return server.getApplicationContext().getBean(type);
  }

  /** From now on the program has no connection to its database. */
  public void closeDatabase() {
    pool().close();
  }

  /** The pool of the program's connections, past everything that stands before it. */
  public HikariDataSource pool() {
    var source =
        DelegatingDataSource.unwrapDataSource(
            server.getApplicationContext().getBean(DataSource.class));
    try {
      return source.unwrap(HikariDataSource.class);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  public Path home() {
    return Path.of(String.valueOf(properties.get("habitline.home")));
  }

  public String url() {
    return server.getURL().toString();
  }

  @Override
  public void close() {
    server.close();
    client.close();
    // A fault in a step of the stop leaves the rest of the program running.
    assertThat(server.getApplicationContext().isRunning()).as("running after the stop").isFalse();
  }
}
