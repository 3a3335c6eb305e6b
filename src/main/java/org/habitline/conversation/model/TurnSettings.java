package org.habitline.conversation.model;

import io.micronaut.context.annotation.ConfigurationProperties;
import java.time.Duration;

/**
 * Limits of a turn.
 *
 * @param deadline {@code TURN_DEADLINE}: total time for the model; after it the flow's fallback
 *     message is sent
 */
@ConfigurationProperties("turn")
public record TurnSettings(Duration deadline) {}
