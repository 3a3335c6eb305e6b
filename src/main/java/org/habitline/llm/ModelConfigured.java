package org.habitline.llm;

import io.micronaut.context.condition.Condition;
import io.micronaut.context.condition.ConditionContext;

/** Matches when a model server is configured, by a key or a base URL that is not blank. */
public final class ModelConfigured implements Condition {

  @Override
  public boolean matches(ConditionContext context) {
    return given(context, "openai.api-key") || given(context, "openai.base-url");
  }

  private static boolean given(ConditionContext<?> context, String property) {
    return context
        .getProperty(property, String.class)
        .filter(value -> !value.isBlank())
        .isPresent();
  }
}
