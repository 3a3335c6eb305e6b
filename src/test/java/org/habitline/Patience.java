package org.habitline;

import static org.awaitility.pollinterval.IterativePollInterval.iterative;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * How long tests wait for something that will happen: long enough for a machine that is busy with
 * other work. A test that passes never waits that long: it looks often at first, then ten times a
 * second.
 */
public final class Patience implements BeforeAllCallback {

  public static final Duration LONG = Duration.ofMinutes(5);

  /** The same in milliseconds, for a browser. */
  public static final int LONG_MILLIS = Math.toIntExact(LONG.toMillis());

  private static final Duration FIRST_LOOK = Duration.ofMillis(10);
  private static final Duration SELDOM = Duration.ofMillis(100);

  @Override
  public void beforeAll(ExtensionContext context) {
    Awaitility.setDefaultTimeout(LONG);
    Awaitility.setDefaultPollDelay(FIRST_LOOK);
    Awaitility.setDefaultPollInterval(
        iterative(it -> it.compareTo(SELDOM) < 0 ? it.multipliedBy(2) : SELDOM, FIRST_LOOK));
  }
}
