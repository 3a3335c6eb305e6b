package org.habitline.staff.web;

import io.micronaut.context.annotation.ConfigurationProperties;

/**
 * What holds for participants unless someone says otherwise.
 *
 * @param defaultTimezone {@code HABITLINE_DEFAULT_TIMEZONE}: IANA name
 */
@ConfigurationProperties("habitline")
public record StaffSettings(String defaultTimezone) {}
