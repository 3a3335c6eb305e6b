package org.habitline.ops;

import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Primary;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;

/**
 * The two clocks of the house: study time, by which participants live, and system time, by which
 * leases, sessions and retries run.
 */
@Factory
final class ClockFactory {

  @Primary
  @Singleton
  Clock studyClock() {
    return Clock.systemUTC();
  }

  @Singleton
  @Named("system")
  Clock systemClock() {
    return Clock.systemUTC();
  }
}
