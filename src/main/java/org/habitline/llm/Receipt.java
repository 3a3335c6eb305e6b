package org.habitline.llm;

import org.jspecify.annotations.Nullable;

/**
 * What is known about one answered (or failed) question, for provenance.
 *
 * @param modelAsked the model named in the request that was answered
 * @param modelReturned the model the server says it used
 * @param promptTokens tokens read, 0 if the server did not say
 * @param completionTokens tokens written, 0 if the server did not say
 * @param latencyMillis from the first attempt to the outcome, waiting between attempts included
 * @param attempts HTTP requests made, 1 when the first was answered
 */
public record Receipt(
    String modelAsked,
    @Nullable String modelReturned,
    @Nullable String requestId,
    @Nullable String finishReason,
    long promptTokens,
    long completionTokens,
    long latencyMillis,
    int attempts) {}
