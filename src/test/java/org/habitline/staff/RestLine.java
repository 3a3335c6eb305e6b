package org.habitline.staff;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.micronaut.context.ApplicationContext;
import io.micronaut.runtime.server.EmbeddedServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.habitline.FreshHome;

/** The program with its server on a free port, and a client that speaks plain HTTP to it. */
final class RestLine implements AutoCloseable {

  static final String PARTICIPANTS = "/conversation/participants";

  private static final String ADMIN = "a-key-for-tests-only-0123456789";
  private static final JsonMapper JSON = new JsonMapper();
  private static final AtomicInteger NUMBERS = new AtomicInteger();

  private final Map<String, Object> properties;
  private final HttpClient client = HttpClient.newHttpClient();
  private EmbeddedServer server;

  private RestLine(Map<String, Object> properties) {
    this.properties = properties;
    this.server = ApplicationContext.run(EmbeddedServer.class, properties);
  }

  static RestLine start(Class<?> test) {
    var properties = FreshHome.properties(test);
    properties.put("habitline.admin-key", ADMIN);
    return new RestLine(properties);
  }

  /** The next start in the same home. */
  void restart() {
    server.close();
    server = ApplicationContext.run(EmbeddedServer.class, properties);
  }

  /** What came back. */
  record Answer(int status, HttpResponse<String> response, JsonNode body) {
    JsonNode result() {
      return body.path("result");
    }

    String message() {
      return body.path("message").asText();
    }
  }

  Answer send(String method, String path, String body, String... headers) {
    return sendAs(ADMIN, method, path, body, headers);
  }

  Answer sendAs(String key, String method, String path, String body, String... headers) {
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
    try {
      var response = client.send(request.build(), BodyHandlers.ofString());
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

  Answer get(String path) {
    return send("GET", path, "");
  }

  Answer enrol(Map<String, ?> said, String... headers) {
    return send("POST", PARTICIPANTS, write(said), headers);
  }

  /** Enrols somebody with a new number. */
  JsonNode enrolled() {
    return enrol(someone()).result();
  }

  static Map<String, Object> someone() {
    var said = new LinkedHashMap<String, Object>();
    said.put("phone_number", "+1206556" + (1000 + NUMBERS.incrementAndGet()));
    said.put("name", "Robin Example");
    return said;
  }

  static String write(Object value) {
    try {
      return JSON.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** Makes a key of a role; returns the secret. */
  String key(String name, String role) {
    return send("POST", "/keys", write(Map.of("name", name, "role", role)))
        .result()
        .path("key")
        .asText();
  }

  List<Map<String, Object>> rows(String sql, Object... arguments) {
    return FreshHome.rows(server.getApplicationContext(), sql, arguments);
  }

  <T> T bean(Class<T> type) {
    return server.getApplicationContext().getBean(type);
  }

  @Override
  public void close() {
    server.close();
    client.close();
  }
}
