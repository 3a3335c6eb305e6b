package org.habitline.participants;

import io.micronaut.context.annotation.ConfigurationProperties;

/**
 * Settings for reading phone numbers.
 *
 * @param defaultRegion {@code HABITLINE_DEFAULT_REGION}: the ISO 3166 region of national numbers
 */
@ConfigurationProperties("habitline")
record PhoneSettings(String defaultRegion) {}
