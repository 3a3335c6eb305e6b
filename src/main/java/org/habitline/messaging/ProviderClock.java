package org.habitline.messaging;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;

/**
 * Tracks how far the provider's clock differs from ours, by the {@code Date} of its last response.
 * Look-ups by time at the provider allow for the difference. Safe for any number of threads.
 */
@Singleton
public final class ProviderClock {

  /** The difference above which operators are warned, because look-ups compare times. */
  public static final Duration TOLERATED = Duration.ofSeconds(30);

  /** The precision of the {@code Date} header: whole seconds. */
  private static final Duration GRAIN = Duration.ofSeconds(1);

  private volatile Duration ahead = Duration.ZERO;

  /**
   * Records the provider's clock as given in a response.
   *
   * @param asked when the request was sent, by our clock
   * @param answered when the response was complete, by our clock
   */
  public void said(Instant date, Instant asked, Instant answered) {
    if (date.isBefore(asked.minus(GRAIN))) {
      ahead = Duration.between(asked, date);
    } else if (date.isAfter(answered)) {
      ahead = Duration.between(answered, date);
    } else {
      ahead = Duration.ZERO;
    }
  }

  /**
   * Returns how far the provider's clock is ahead of ours; negative if it is behind, zero if it
   * agrees or the provider never responded.
   */
  public Duration ahead() {
    return ahead;
  }

  /** Returns whether the difference is more than {@link #TOLERATED}. */
  public boolean differs() {
    return ahead.abs().compareTo(TOLERATED) > 0;
  }

  /**
   * Returns the earliest time that the provider may have given to an instant of our clock: our own
   * time if the provider's clock is ahead, as the difference may be new.
   */
  public Instant earliest(Instant ours) {
    return ahead.isNegative() ? ours.plus(ahead) : ours;
  }
}
