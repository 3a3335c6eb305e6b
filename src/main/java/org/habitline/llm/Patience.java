package org.habitline.llm;

import java.time.Duration;
import java.util.Optional;

/**
 * Which models to ask, and how long to wait for them.
 *
 * @param model the model to ask unless a request names one
 * @param fallbackModel the model to ask when the first gives no reply, if any
 * @param attemptTimeout time limit of one attempt
 * @param firstPause the pause before the second attempt; it doubles with each further attempt
 * @param longestPause the longest pause
 */
public record Patience(
    String model,
    Optional<String> fallbackModel,
    Duration attemptTimeout,
    Duration firstPause,
    Duration longestPause) {}
