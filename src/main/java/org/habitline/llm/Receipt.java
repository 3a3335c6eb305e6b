package org.habitline.llm;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * What is known about one answered (or failed) question, for provenance.
 *
 * @param modelAsked the model named in the request that was answered
 * @param modelReturned the model the server says it used
 * @param promptTokens tokens read, 0 if the server did not say
 * @param completionTokens tokens written, 0 if the server did not say
 * @param latencyMillis from the first attempt to the outcome, waiting between attempts included
 * @param attempts requests made, 1 when the first was answered; one that was repeated at once
 *     without what the server does not take counts once
 * @param reasoning what the model wrote that is for nobody's eyes: its reasoning and channel
 *     markup, shortened where it is very long
 */
public record Receipt(
    String modelAsked,
    @Nullable String modelReturned,
    @Nullable String requestId,
    @Nullable String finishReason,
    long promptTokens,
    long completionTokens,
    long latencyMillis,
    int attempts,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String reasoning) {

  public Receipt(
      String modelAsked,
      @Nullable String modelReturned,
      @Nullable String requestId,
      @Nullable String finishReason,
      long promptTokens,
      long completionTokens,
      long latencyMillis,
      int attempts) {
    this(
        modelAsked,
        modelReturned,
        requestId,
        finishReason,
        promptTokens,
        completionTokens,
        latencyMillis,
        attempts,
        null);
  }
}
