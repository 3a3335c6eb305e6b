package org.habitline.messaging.twilio;

import io.micronaut.context.condition.Condition;
import io.micronaut.context.condition.ConditionContext;

/** Matches when a Twilio account is configured. */
public final class TwilioConfigured implements Condition {

  @Override
  public boolean matches(ConditionContext context) {
    return context
        .getProperty("twilio.account-sid", String.class)
        .filter(sid -> !sid.isBlank())
        .isPresent();
  }
}
