package org.habitline.staff.people;

import io.micronaut.context.annotation.ConfigurationProperties;

/**
 * Settings for senders who are not enrolled.
 *
 * @param newUsers {@code AUTO_ENROLL_NEW_USERS}: whether anyone who texts is enrolled
 */
@ConfigurationProperties("auto-enroll")
record AutoEnrolSettings(boolean newUsers) {}
