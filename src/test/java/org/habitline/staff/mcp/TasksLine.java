package org.habitline.staff.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.micronaut.runtime.server.EmbeddedServer;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.json.jackson2.JacksonMcpJsonMapper;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.habitline.Patience;
import org.habitline.RunningLine;
import org.habitline.participants.Participant;

/** A line with a flow of tasks, its server on a free port, and clients of its tools. */
public final class TasksLine implements AutoCloseable {

  public static final String ADMIN = "a-key-for-tests-only-0123456789";

  private static final JsonMapper JSON = new JsonMapper();

  private static final String YAML =
      """
      id: tasks
      initial_state: TASKS
      modules:
        TASKS:
          prompt: talk.txt
          tools:
            - add_task
            - list_tasks
            - transition_state: {to: [REST]}
            - complete_task
            - update_task
            - delete_task
        REST:
          prompt: talk.txt
          tools: [list_tasks]
      texts:
        greeting_fallback: Hello.
        error_fallback: Sorry.
        help: Help.
        deletion_notice: Goodbye.
        opt_out_confirmation: Understood.
        resources: Call someone.
      """;

  private final RunningLine line;
  private final EmbeddedServer server;
  private final HttpClient http = HttpClient.newHttpClient();

  private TasksLine(RunningLine line) {
    this.line = line;
    this.server = line.bean(EmbeddedServer.class).start();
  }

  public static TasksLine start(Class<?> test) {
    return new TasksLine(
        RunningLine.in(test)
            .flow("tasks", YAML)
            .with("habitline.port", "0")
            .with("habitline.admin-key", ADMIN)
            .with("habitline.requests-per-minute", "0")
            .build());
  }

  public RunningLine line() {
    return line;
  }

  public String host() {
    return "127.0.0.1:" + server.getPort();
  }

  public String address() {
    return "http://" + host() + "/mcp";
  }

  /** Enrols someone and waits for their greeting. */
  public Participant someone() {
    var participant = line.enrolInto("tasks");
    line.awaitTurn(participant, 1);
    line.fake().forget();
    return participant;
  }

  /** An answer over plain HTTP. */
  public record Answer(HttpResponse<String> response) {
    public int status() {
      return response.statusCode();
    }

    public JsonNode json() {
      try {
        return JSON.readTree(response.body());
      } catch (IOException e) {
        throw new UncheckedIOException(response.body(), e);
      }
    }

    public String message() {
      return json().path("message").asText();
    }
  }

  /** Sends a request with a key or token; the headers are names and values in turn. */
  public Answer send(String key, String method, String path, String body, String... headers) {
    var request =
        HttpRequest.newBuilder(URI.create("http://" + host() + path))
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream");
    if (!key.isEmpty()) {
      request.header("Authorization", "Bearer " + key);
    }
    if (headers.length > 0) {
      request.headers(headers);
    }
    try {
      return new Answer(http.send(request.build(), BodyHandlers.ofString()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Sends one message of the protocol. */
  public Answer mcp(String key, String body, String... headers) {
    return send(key, "POST", "/mcp", body, headers);
  }

  /** Makes a token of the participant and returns it. */
  public String token(Participant participant) {
    var path = "/conversation/participants/" + participant.id() + "/tokens";
    return send(ADMIN, "POST", path, "{}").json().at("/result/token").asText();
  }

  /** Makes a key of a role and returns it. */
  public String key(String name, String role) {
    var body = "{\"name\":\"%s\",\"role\":\"%s\"}".formatted(name, role);
    return send(ADMIN, "POST", "/keys", body).json().at("/result/key").asText();
  }

  /** The SDK's own client, which has introduced itself. */
  public McpSyncClient client(String key, String... headers) {
    var request = HttpRequest.newBuilder().header("Authorization", "Bearer " + key);
    if (headers.length > 0) {
      request.headers(headers);
    }
    var client =
        McpClient.sync(
                HttpClientStreamableHttpTransport.builder("http://" + host())
                    .endpoint("/mcp")
                    .jsonMapper(new JacksonMcpJsonMapper(JSON))
                    .requestBuilder(request)
                    .build())
            .jsonSchemaValidator(
                (schema, value) -> JsonSchemaValidator.ValidationResponse.asValid(""))
            .requestTimeout(Patience.LONG)
            .build();
    client.initialize();
    return client;
  }

  @Override
  public void close() {
    http.close();
    server.close();
    line.close();
  }
}
