package org.habitline.staff.people;

import io.micronaut.context.annotation.ConfigurationProperties;

/**
 * What happens to strangers.
 *
 * @param newUsers {@code AUTO_ENROLL_NEW_USERS}: whether whoever texts is enrolled
 */
@ConfigurationProperties("auto-enroll")
record AutoEnrolSettings(boolean newUsers) {}
