package org.habitline.llm.openai;

import io.micronaut.context.annotation.ConfigurationProperties;
import org.jspecify.annotations.Nullable;

/**
 * The model server and its models. With neither a key nor a base URL, the rehearsal model replies.
 *
 * @param apiKey {@code OPENAI_API_KEY}
 * @param baseUrl {@code OPENAI_BASE_URL}: any server with a Chat Completions API
 * @param model {@code OPENAI_MODEL}: the model to ask unless a flow's module names another
 * @param fallbackModel {@code OPENAI_FALLBACK_MODEL}: the model to ask when the first gives no
 *     reply
 * @param embeddingModel {@code OPENAI_EMBEDDING_MODEL}: the model that turns texts into vectors for
 *     knowledge search, if any
 * @param apiVersion {@code OPENAI_API_VERSION}: the API version for Azure OpenAI, whose URLs name a
 *     deployment
 */
@ConfigurationProperties("openai")
record OpenAiSettings(
    @Nullable String apiKey,
    @Nullable String baseUrl,
    String model,
    @Nullable String fallbackModel,
    @Nullable String embeddingModel,
    @Nullable String apiVersion) {}
