package org.habitline.llm;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * The provenance of one reply or failed request.
 *
 * @param modelAsked the model that the request named
 * @param modelReturned the model the server says it used
 * @param promptTokens tokens read, or 0 if the server did not report them
 * @param completionTokens tokens written, or 0 if the server did not report them
 * @param latencyMillis milliseconds from the first attempt to the outcome, including the pauses
 *     between attempts
 * @param attempts number of requests; a request that was repeated at once without a part that the
 *     server refuses counts once
 * @param reasoning what the model wrote that no one is meant to read: its reasoning and channel
 *     markup, shortened if very long
 * @param cachedTokens how many of the tokens read the server had cached; {@code null} if it did not
 *     report them
 * @param instead the model that was asked before and gave no reply; {@code null} if there was none
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
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String reasoning,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long cachedTokens,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Instead instead) {

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
        null,
        null,
        null);
  }

  /** The model that was asked first, and why the fallback model was asked instead of it. */
  public record Instead(String model, ModelFailure failure) {}
}
