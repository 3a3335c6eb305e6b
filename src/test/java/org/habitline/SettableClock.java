package org.habitline;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that tests move: either it stands still, or it runs a while ahead of the system's. */
public final class SettableClock extends Clock {

  private final Clock base;
  private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);

  private SettableClock(Clock base) {
    this.base = base;
  }

  public static SettableClock standingAt(Instant instant) {
    return new SettableClock(Clock.fixed(instant, ZoneOffset.UTC));
  }

  public static SettableClock running() {
    return new SettableClock(Clock.systemUTC());
  }

  public void advance(Duration time) {
    ahead.updateAndGet(time::plus);
  }

  @Override
  public Instant instant() {
    return base.instant().plus(ahead.get());
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    throw new UnsupportedOperationException("The line asks clocks for instants only.");
  }
}
