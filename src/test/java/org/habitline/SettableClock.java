package org.habitline;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A clock that tests move: either it stands still, or it runs a while ahead of the system's. One
 * that runs can be stopped for a time.
 */
public final class SettableClock extends Clock {

  private final Clock own;
  private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);
  private volatile Clock base;

  private SettableClock(Clock own) {
    this.own = own;
    this.base = own;
  }

  public static SettableClock standingAt(Instant instant) {
    return new SettableClock(Clock.fixed(instant, ZoneOffset.UTC));
  }

  public static SettableClock running() {
    return new SettableClock(Clock.systemUTC());
  }

  /** Makes this clock stand still until it is started, at a time that databases keep unrounded. */
  public void stop() {
    base = Clock.fixed(own.instant().truncatedTo(ChronoUnit.MICROS), ZoneOffset.UTC);
  }

  /** Lets this clock run again; it leaps over the time it stood still. */
  public void start() {
    base = own;
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
