package org.habitline.staff.web;

import io.micronaut.context.annotation.ConfigurationProperties;

/**
 * Defaults for participants.
 *
 * @param defaultTimezone {@code HABITLINE_DEFAULT_TIMEZONE}: IANA name of the time zone of
 *     participants enrolled without one
 */
@ConfigurationProperties("habitline")
public record StaffSettings(String defaultTimezone) {}
