package org.habitline.ops.start;

import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Primary;
import io.micronaut.context.annotation.Replaces;
import io.micronaut.context.annotation.Requires;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import org.habitline.TestClocks;
import org.habitline.timers.StudyClock;

/** Puts clocks that tests move in the place of the real ones. */
@Factory
@Replaces(factory = ClockFactory.class)
@Requires(property = "test.clocks")
final class TestClockFactory {

  @Primary
  @Singleton
  StudyClock studyClock(TestClocks clocks) {
    return new StudyClock(clocks.study());
  }

  @Singleton
  @Named("system")
  Clock systemClock(TestClocks clocks) {
    return clocks.system();
  }
}
