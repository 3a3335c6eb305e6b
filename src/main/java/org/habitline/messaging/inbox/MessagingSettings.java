package org.habitline.messaging.inbox;

import io.micronaut.context.annotation.ConfigurationProperties;
import java.time.Duration;

/**
 * How texts gather before they are answered.
 *
 * @param quietPeriod {@code TURN_QUIET_PERIOD}: a burst is answered when no text came for this
 *     long; zero answers at once
 */
@ConfigurationProperties("turn")
record MessagingSettings(Duration quietPeriod) {}
