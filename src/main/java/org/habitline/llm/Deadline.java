package org.habitline.llm;

import java.time.Duration;

/**
 * The moment by which a reply must have arrived, on the monotonic clock, because it measures
 * waiting.
 */
public record Deadline(long nanoTime) {

  public static Deadline in(Duration time) {
    return new Deadline(System.nanoTime() + time.toNanos());
  }

  /** Returns the time left, never negative. */
  public Duration left() {
    return Duration.ofNanos(Math.max(0, nanoTime - System.nanoTime()));
  }

  public boolean passed() {
    return left().isZero();
  }
}
