/**
 * Texts by Twilio, SMS and WhatsApp: signed webhooks in, one REST request per text out. The whole
 * room is there only when {@code TWILIO_ACCOUNT_SID} is set.
 */
@Configuration
@Requires(condition = TwilioConfigured.class)
@NullMarked
package org.habitline.messaging.twilio;

import io.micronaut.context.annotation.Configuration;
import io.micronaut.context.annotation.Requires;
import org.jspecify.annotations.NullMarked;
