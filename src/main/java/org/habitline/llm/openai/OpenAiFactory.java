package org.habitline.llm.openai;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Requires;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import org.habitline.llm.AskingSettings;
import org.habitline.llm.LanguageModel;
import org.habitline.llm.ModelConfigured;
import org.habitline.llm.Patience;
import org.habitline.llm.PatientModel;
import org.jspecify.annotations.Nullable;

/** Provides the model behind {@code OPENAI_*}, when it is configured. */
@Factory
@Requires(condition = ModelConfigured.class)
final class OpenAiFactory {

  private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(8);

  /** The client demands a key; local servers ignore it. */
  private static final String NO_KEY = "none";

  @Singleton
  @Bean(preDestroy = "close")
  OpenAIClient client(OpenAiSettings settings) {
    return OpenAIOkHttpClient.builder()
        .apiKey(given(settings.apiKey()).orElse(NO_KEY))
        .baseUrl(given(settings.baseUrl()))
        .maxRetries(0)
        .build();
  }

  @Singleton
  LanguageModel model(OpenAIClient client, OpenAiSettings settings, AskingSettings asking) {
    var address = given(settings.baseUrl()).orElse("the OpenAI API");
    return new PatientModel(
        new OpenAiServer(client, address),
        new Patience(
            settings.model(),
            given(settings.fallbackModel()),
            asking.attemptTimeout(),
            FIRST_PAUSE,
            LONGEST_PAUSE));
  }

  private static Optional<String> given(@Nullable String value) {
    return Optional.ofNullable(value).filter(text -> !text.isBlank());
  }
}
