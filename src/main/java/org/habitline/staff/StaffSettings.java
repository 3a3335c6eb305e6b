package org.habitline.staff;

import io.micronaut.context.annotation.ConfigurationProperties;

/**
 * What holds for participants unless someone says otherwise.
 *
 * @param defaultTimezone {@code HABITLINE_DEFAULT_TIMEZONE}: IANA name
 */
@ConfigurationProperties("habitline")
record StaffSettings(String defaultTimezone) {}
