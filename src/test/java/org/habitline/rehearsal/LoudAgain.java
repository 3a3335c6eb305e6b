package org.habitline.rehearsal;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/**
 * A rehearsal is the only thing in its process and logs little; whatever is tested after it in the
 * same process logs as usual.
 */
final class LoudAgain implements AfterAllCallback {

  @Override
  public void afterAll(ExtensionContext context) {
    ((Logger) LoggerFactory.getLogger("org.habitline")).setLevel(Level.INFO);
  }
}
