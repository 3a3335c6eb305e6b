/**
 * SMS and WhatsApp through Twilio: signed webhooks for incoming texts, one REST request for each
 * message sent. The package is active only when {@code TWILIO_ACCOUNT_SID} is set.
 */
@Configuration
@Requires(condition = TwilioConfigured.class)
@NullMarked
package org.habitline.messaging.twilio;

import io.micronaut.context.annotation.Configuration;
import io.micronaut.context.annotation.Requires;
import org.jspecify.annotations.NullMarked;
