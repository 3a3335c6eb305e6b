package org.habitline;

import java.lang.reflect.Modifier;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Empties the static fields of a test class when its last test has ended. A service that was
 * stopped would otherwise stay in memory until the end of the run, and so would all others.
 */
public final class StaticFields implements AfterAllCallback {

  @Override
  public void afterAll(ExtensionContext context) throws IllegalAccessException {
    for (var field : context.getRequiredTestClass().getDeclaredFields()) {
      var modifiers = field.getModifiers();
      if (Modifier.isStatic(modifiers)
          && !Modifier.isFinal(modifiers)
          && !field.getType().isPrimitive()) {
        field.setAccessible(true);
        field.set(null, null);
      }
    }
  }
}
