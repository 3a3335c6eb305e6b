package org.habitline.llm;

import java.time.Duration;
import java.util.Optional;

/**
 * How long to wait for a model.
 *
 * @param model the model asked unless a request names one
 * @param fallbackModel asked when the first gave no answer, if there is one
 * @param attemptTimeout bound of one attempt
 * @param firstPause before the second attempt; doubled for each further one, up to a bound
 * @param longestPause that bound
 */
public record Patience(
    String model,
    Optional<String> fallbackModel,
    Duration attemptTimeout,
    Duration firstPause,
    Duration longestPause) {}
