package org.habitline.timers;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The clock of study time: a base clock, in a rehearsal moved ahead of it. Safe for any number of
 * threads.
 */
public final class StudyClock extends Clock {

  private final Clock base;
  private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);

  public StudyClock(Clock base) {
    this.base = base;
  }

  Duration ahead() {
    return ahead.get();
  }

  void setAhead(Duration time) {
    ahead.set(time);
  }

  @Override
  public Instant instant() {
    return base.instant().plus(ahead.get());
  }

  @Override
  public ZoneId getZone() {
    return base.getZone();
  }

  @Override
  public Clock withZone(ZoneId zone) {
    throw new UnsupportedOperationException("StudyClock only supplies instants.");
  }
}
