package org.habitline.messaging;

import io.micronaut.context.annotation.ConfigurationProperties;
import java.time.Duration;

/**
 * How long a text may wait that is meant for its hour.
 *
 * @param maxLateness {@code DAILY_PROMPT_MAX_LATENESS}: what waited longer is not sent
 */
@ConfigurationProperties("daily-prompt")
record PromptSettings(Duration maxLateness) {}
