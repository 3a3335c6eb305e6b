package org.habitline.conversation.model;

import io.micronaut.context.annotation.ConfigurationProperties;
import java.time.Duration;

/**
 * Bounds of a turn.
 *
 * @param deadline {@code TURN_DEADLINE}: the model has this long in all, then the flow's own text
 *     goes out
 */
@ConfigurationProperties("turn")
public record TurnSettings(Duration deadline) {}
