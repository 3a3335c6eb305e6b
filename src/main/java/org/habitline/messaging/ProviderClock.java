package org.habitline.messaging;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;

/**
 * How far the provider's clock is from ours, by the {@code Date} of its last answer. Looking
 * something up by its time at the provider allows for it. Safe for any number of threads.
 */
@Singleton
public final class ProviderClock {

  /** More than this is told to operators: texts are then told apart by times that are not true. */
  public static final Duration TOLERATED = Duration.ofSeconds(30);

  /** {@code Date} has whole seconds. */
  private static final Duration GRAIN = Duration.ofSeconds(1);

  private volatile Duration ahead = Duration.ZERO;

  /**
   * Notes what the provider's clock said in an answer.
   *
   * @param asked when the request left, by our clock
   * @param answered when the answer was there, by our clock
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
   * agrees or never answered.
   */
  public Duration ahead() {
    return ahead;
  }

  /** Whether the difference is more than {@link #TOLERATED}. */
  public boolean differs() {
    return ahead.abs().compareTo(TOLERATED) > 0;
  }

  /**
   * Returns an instant of our clock as the provider may have dated it: the earlier one, if the
   * clocks differ, as the difference may be new.
   */
  public Instant earliest(Instant ours) {
    return ahead.isNegative() ? ours.plus(ahead) : ours;
  }
}
