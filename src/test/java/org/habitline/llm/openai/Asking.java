package org.habitline.llm.openai;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.openai.client.OpenAIClient;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelQuirk;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.Patience;
import org.habitline.llm.RetryingModel;
import org.habitline.llm.ToolSpec;
import org.jspecify.annotations.Nullable;

/** The client of the line as the factory builds it, aimed at a fake server. */
final class Asking implements AutoCloseable {

  /** What must never be seen outside a request. */
  static final String TEXT = "my secret is a walk at the lake";

  static final String SECRET = "sk-a-key-that-nobody-may-read";

  static final Instant NOW = Instant.parse("2026-11-21T07:15:00Z");
  static final Duration LONG_ENOUGH = org.habitline.Patience.LONG;

  private static final JsonMapper JSON = new JsonMapper();

  private final OpenAIClient client;
  private final OpenAiServer server;

  Asking(StrictFakeServer fake) {
    this(fake.baseUrl());
  }

  Asking(String baseUrl) {
    this(baseUrl, null, Set.of());
  }

  Asking(String baseUrl, @Nullable String apiVersion, Set<ModelQuirk> quirks) {
    client =
        new OpenAiFactory()
            .client(new OpenAiSettings(SECRET, baseUrl, "model-a", null, null, apiVersion));
    server =
        new OpenAiServer(
            client,
            "the fake",
            new Quirks(Optional.of(URI.create(baseUrl)), quirks),
            Clock.fixed(NOW, ZoneOffset.UTC));
  }

  OpenAiServer server() {
    return server;
  }

  /** With pauses so short that a test need not wait. */
  RetryingModel patient(@Nullable String fallbackModel) {
    return patient(fallbackModel, LONG_ENOUGH);
  }

  RetryingModel patient(@Nullable String fallbackModel, Duration attemptTimeout) {
    return new RetryingModel(
        server,
        new Patience(
            "model-a",
            Optional.ofNullable(fallbackModel),
            attemptTimeout,
            Duration.ofMillis(1),
            Duration.ofMillis(10)));
  }

  @Override
  public void close() {
    client.close();
  }

  static ModelRequest request() {
    return request(List.of(new ModelMessage.UserText(TEXT)), List.of());
  }

  static ModelRequest request(List<ModelMessage> messages, List<ToolSpec> tools) {
    return new ModelRequest(null, null, null, messages, tools, false, null);
  }

  static ToolSpec tool(String name) {
    try {
      var schema =
          """
          {"type":"object","properties":{"when":{"type":["string","null"],"enum":["now",null]}},
           "required":["when"],"additionalProperties":false}\
          """;
      return new ToolSpec(name, "Does it.", (ObjectNode) JSON.readTree(schema));
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
