package org.habitline.participants;

import io.micronaut.context.annotation.ConfigurationProperties;

/**
 * How phone numbers are read.
 *
 * @param defaultRegion {@code HABITLINE_DEFAULT_REGION}: ISO 3166 region of national numbers
 */
@ConfigurationProperties("habitline")
record PhoneSettings(String defaultRegion) {}
