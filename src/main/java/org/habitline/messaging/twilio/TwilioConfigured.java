package org.habitline.messaging.twilio;

import io.micronaut.context.condition.Condition;
import io.micronaut.context.condition.ConditionContext;

/** Holds when an account of Twilio is named. */
public final class TwilioConfigured implements Condition {

  @Override
  public boolean matches(ConditionContext context) {
    return context
        .getProperty("twilio.account-sid", String.class)
        .filter(sid -> !sid.isBlank())
        .isPresent();
  }
}
