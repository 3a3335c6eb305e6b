package org.habitline.llm;

import io.micronaut.context.condition.Condition;
import io.micronaut.context.condition.ConditionContext;

/** Matches when no model server is configured, so that the rehearsal model replies. */
public final class ModelNotConfigured implements Condition {

  @Override
  public boolean matches(ConditionContext context) {
    return !new ModelConfigured().matches(context);
  }
}
