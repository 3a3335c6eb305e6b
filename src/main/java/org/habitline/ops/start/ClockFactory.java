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
 * Creates the two clocks: study time for participants, and system time for leases, sessions and
 * retries.
 */
@Factory
final class ClockFactory {

  /**
   * Study time follows the system clock, unless a rehearsal sets a start instant: then it stands
   * still and changes only when it is moved.
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
