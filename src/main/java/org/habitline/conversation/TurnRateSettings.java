package org.habitline.conversation;

import io.micronaut.context.annotation.ConfigurationProperties;

/**
 * Limits how often one participant gets a reply.
 *
 * @param perMinute {@code TURNS_PER_MINUTE}: turns for texts a minute at most; zero for no limit
 */
@ConfigurationProperties("turns")
record TurnRateSettings(int perMinute) {}
