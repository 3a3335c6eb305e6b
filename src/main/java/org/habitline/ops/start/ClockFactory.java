package org.habitline.ops.start;

import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Primary;
import io.micronaut.context.annotation.Value;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.habitline.timers.StudyClock;
import org.jspecify.annotations.Nullable;

/**
 * The two clocks of the house: study time, by which participants live, and system time, by which
 * leases, sessions and retries run.
 */
@Factory
final class ClockFactory {

  /**
   * Study time goes with the system's, unless a rehearsal of a protocol names an instant: there it
   * stands, and goes on only as it is moved.
   */
  @Primary
  @Singleton
  StudyClock studyClock(@Nullable @Value("${habitline.virtual-start:}") String virtualStart) {
    return new StudyClock(
        virtualStart == null || virtualStart.isBlank()
            ? Clock.systemUTC()
            : Clock.fixed(Instant.parse(virtualStart), ZoneOffset.UTC));
  }

  @Singleton
  @Named("system")
  Clock systemClock() {
    return Clock.systemUTC();
  }
}
