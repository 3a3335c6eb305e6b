package org.habitline.conversation;

import io.micronaut.context.annotation.ConfigurationProperties;

/**
 * How often one participant is answered.
 *
 * @param perMinute {@code TURNS_PER_MINUTE}: turns for texts a minute at the most; zero for no
 *     bound
 */
@ConfigurationProperties("turns")
record TurnRateSettings(int perMinute) {}
