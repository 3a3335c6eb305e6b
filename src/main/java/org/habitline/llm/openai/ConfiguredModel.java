package org.habitline.llm.openai;

import com.openai.client.OpenAIClient;
import io.micronaut.core.value.PropertyResolver;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.habitline.llm.AskingSettings;
import org.habitline.llm.ChatServer;
import org.habitline.llm.ModelConfigured;
import org.habitline.llm.Patience;
import org.jspecify.annotations.Nullable;

/**
 * The model server of the settings, for a command that runs without the service. Nothing is sent
 * until the server is asked. Close it to close its connections.
 */
public final class ConfiguredModel implements AutoCloseable {

  private final OpenAIClient client;
  private final ChatServer server;
  private final Patience patience;

  private ConfiguredModel(OpenAIClient client, ChatServer server, Patience patience) {
    this.client = client;
    this.server = server;
    this.patience = patience;
  }

  /**
   * Returns the server that the service would ask with these settings, or empty if they name none.
   */
  public static Optional<ConfiguredModel> of(PropertyResolver settings, Clock clock) {
    if (!ModelConfigured.in(settings)) {
      return Optional.empty();
    }
    var openAi =
        new OpenAiSettings(
            text(settings, "openai.api-key"),
            text(settings, "openai.base-url"),
            settings.getRequiredProperty("openai.model", String.class),
            text(settings, "openai.fallback-model"),
            text(settings, "openai.embedding-model"),
            text(settings, "openai.api-version"));
    var asking =
        new AskingSettings(
            settings.getRequiredProperty("model.attempt-timeout", Duration.class),
            settings.getRequiredProperty("model.token-budget", Integer.class),
            text(settings, "model.quirks"));
    var client = new OpenAiFactory().client(openAi);
    return Optional.of(
        new ConfiguredModel(
            client,
            OpenAiFactory.server(client, openAi, asking, clock),
            OpenAiFactory.patience(openAi, asking)));
  }

  public ChatServer server() {
    return server;
  }

  public Patience patience() {
    return patience;
  }

  @Override
  public void close() {
    client.close();
  }

  private static @Nullable String text(PropertyResolver settings, String key) {
    return settings.getProperty(key, String.class).orElse(null);
  }
}
