package org.habitline.llm;

import io.micronaut.context.condition.Condition;
import io.micronaut.context.condition.ConditionContext;
import io.micronaut.core.value.PropertyResolver;

/** Matches when a model server is configured, by a key or a base URL that is not blank. */
public final class ModelConfigured implements Condition {

  @Override
  public boolean matches(ConditionContext context) {
    return in(context);
  }

  /** Returns whether these settings name a model server. */
  public static boolean in(PropertyResolver settings) {
    return given(settings, "openai.api-key") || given(settings, "openai.base-url");
  }

  private static boolean given(PropertyResolver settings, String property) {
    return settings
        .getProperty(property, String.class)
        .filter(value -> !value.isBlank())
        .isPresent();
  }
}
