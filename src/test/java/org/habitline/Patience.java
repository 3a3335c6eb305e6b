package org.habitline;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * How long tests wait for something that will happen: long enough for a machine that is busy with
 * other work. A test that passes never waits that long.
 */
public final class Patience implements BeforeAllCallback {

  public static final Duration LONG = Duration.ofMinutes(5);

  /** The same in milliseconds, for a browser. */
  public static final int LONG_MILLIS = Math.toIntExact(LONG.toMillis());

  @Override
  public void beforeAll(ExtensionContext context) {
    Awaitility.setDefaultTimeout(LONG);
  }
}
