package org.habitline.llm.openai;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.LogLevel;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Requires;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import okhttp3.ConnectionPool;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import org.habitline.llm.AskingSettings;
import org.habitline.llm.Embeddings;
import org.habitline.llm.LanguageModel;
import org.habitline.llm.ModelConfigured;
import org.habitline.llm.ModelQuirk;
import org.habitline.llm.Moderation;
import org.habitline.llm.Patience;
import org.habitline.llm.RetryingModel;
import org.jspecify.annotations.Nullable;

/** Provides the models behind {@code OPENAI_*}, when they are configured. */
@Factory
@Requires(condition = ModelConfigured.class)
final class OpenAiFactory {

  private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(8);

  /** The key for servers without one: the client requires a key, and local servers ignore it. */
  private static final String NO_KEY = "none";

  /**
   * Idle connections kept open, so that a burst of turns finds them; they close after {@link
   * #KEEP_ALIVE}.
   */
  private static final int IDLE_CONNECTIONS = 64;

  private static final Duration KEEP_ALIVE = Duration.ofMinutes(1);

  @Singleton
  @Bean(preDestroy = "close")
  OpenAIClient client(OpenAiSettings settings) {
    var key = given(settings.apiKey()).orElse(NO_KEY);
    var version = given(settings.apiVersion());
    var client =
        OpenAIOkHttpClient.builder()
            .baseUrl(given(settings.baseUrl()))
            .maxRetries(0)
            .okHttpClient(http())
            // Otherwise OPENAI_LOG=debug would write conversations to the log.
            .logLevel(LogLevel.OFF);
    if (Azure.isMeant(url(settings), version)) {
      Azure.set(client, key, version);
    } else {
      client.apiKey(key);
    }
    return client.build();
  }

  private static OkHttpClient http() {
    var calls = new Dispatcher();
    calls.setMaxRequests(Integer.MAX_VALUE);
    calls.setMaxRequestsPerHost(Integer.MAX_VALUE);
    return new OkHttpClient.Builder()
        .socketFactory(new PromptSockets())
        .dispatcher(calls)
        .connectionPool(
            new ConnectionPool(IDLE_CONNECTIONS, KEEP_ALIVE.toMillis(), TimeUnit.MILLISECONDS))
        // A redirect would send the key and the conversation to a host that is not configured.
        .followRedirects(false)
        .followSslRedirects(false)
        // RetryingModel does the retries, because it knows how much time is left.
        .retryOnConnectionFailure(false)
        .addInterceptor(new ErrorBodies())
        .build();
  }

  @Singleton
  LanguageModel model(
      OpenAIClient client,
      OpenAiSettings settings,
      AskingSettings asking,
      @Named("system") Clock clock) {
    return new RetryingModel(server(client, settings, asking, clock), patience(settings, asking));
  }

  static OpenAiServer server(
      OpenAIClient client, OpenAiSettings settings, AskingSettings asking, Clock clock) {
    var baseUrl = url(settings);
    var quirks = given(asking.quirks()).flatMap(ModelQuirk::read).orElse(Set.of());
    return new OpenAiServer(client, address(baseUrl), new Quirks(baseUrl, quirks), clock);
  }

  static Patience patience(OpenAiSettings settings, AskingSettings asking) {
    return new Patience(
        settings.model(),
        given(settings.fallbackModel()),
        asking.attemptTimeout(),
        FIRST_PAUSE,
        LONGEST_PAUSE);
  }

  @Singleton
  @Requires(property = "openai.embedding-model", pattern = "(?s).*\\S.*")
  Embeddings embeddings(
      OpenAIClient client, OpenAiSettings settings, @Named("system") Clock clock) {
    return new OpenAiEmbeddings(client, given(settings.embeddingModel()).orElseThrow(), clock);
  }

  @Singleton
  Moderation moderation(OpenAIClient client, @Named("system") Clock clock) {
    return new OpenAiModeration(client, clock);
  }

  /** Returns host and port only, because the rest of a URL may hold a secret. */
  private static String address(Optional<URI> baseUrl) {
    return baseUrl
        .map(url -> url.getHost() + (url.getPort() < 0 ? "" : ":" + url.getPort()))
        .orElse("the OpenAI API");
  }

  private static Optional<URI> url(OpenAiSettings settings) {
    return given(settings.baseUrl()).map(URI::create);
  }

  private static Optional<String> given(@Nullable String value) {
    return Optional.ofNullable(value).map(String::strip).filter(text -> !text.isEmpty());
  }
}
