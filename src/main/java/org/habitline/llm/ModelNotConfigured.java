package org.habitline.llm;

import io.micronaut.context.condition.Condition;
import io.micronaut.context.condition.ConditionContext;

/** True when no model server is configured, so that the rehearsal answers. */
public final class ModelNotConfigured implements Condition {

  @Override
  public boolean matches(ConditionContext context) {
    return !new ModelConfigured().matches(context);
  }
}
