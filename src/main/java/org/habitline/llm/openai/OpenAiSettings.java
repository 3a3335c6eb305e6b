package org.habitline.llm.openai;

import io.micronaut.context.annotation.ConfigurationProperties;
import org.jspecify.annotations.Nullable;

/**
 * Which server and models answer. With neither key nor base URL the rehearsal model answers.
 *
 * @param apiKey {@code OPENAI_API_KEY}
 * @param baseUrl {@code OPENAI_BASE_URL}: any server that speaks Chat Completions
 * @param model {@code OPENAI_MODEL}: asked unless a flow's module names another
 * @param fallbackModel {@code OPENAI_FALLBACK_MODEL}: asked when the first gives no answer
 * @param apiVersion {@code OPENAI_API_VERSION}: of Azure OpenAI, whose URLs name a deployment
 */
@ConfigurationProperties("openai")
record OpenAiSettings(
    @Nullable String apiKey,
    @Nullable String baseUrl,
    String model,
    @Nullable String fallbackModel,
    @Nullable String apiVersion) {}
