package org.habitline.messaging.inbox;

import io.micronaut.context.annotation.ConfigurationProperties;
import java.time.Duration;

/**
 * How long texts are gathered before they get a reply.
 *
 * @param quietPeriod {@code TURN_QUIET_PERIOD}: a burst gets a reply when no text came for this
 *     long; zero replies at once
 */
@ConfigurationProperties("turn")
record MessagingSettings(Duration quietPeriod) {}
