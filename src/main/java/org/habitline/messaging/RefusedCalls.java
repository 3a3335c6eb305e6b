package org.habitline.messaging;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Counts webhook calls that were refused because they had no valid signature, or because they were
 * for another account or number.
 */
@Singleton
public final class RefusedCalls {

  /** How far back {@link #lately} counts. */
  public static final Duration REMEMBERED = Duration.ofHours(1);

  private static final int AT_MOST = 10_000;

  private final Clock systemClock;
  private final Counted unsigned = new Counted();
  private final Counted notOurs = new Counted();

  RefusedCalls(@Named("system") Clock systemClock) {
    this.systemClock = systemClock;
  }

  private static final class Counted {
    private final Deque<Instant> lately = new ArrayDeque<>();
    private long count;

    synchronized void add(Instant now) {
      count++;
      if (lately.size() >= AT_MOST) {
        lately.removeFirst();
      }
      lately.add(now);
    }

    synchronized long count() {
      return count;
    }

    synchronized int since(Instant since) {
      lately.removeIf(at -> at.isBefore(since));
      return lately.size();
    }
  }

  /** Counts a call without a valid signature. */
  public void refused() {
    unsigned.add(systemClock.instant());
  }

  /** Counts a call that was signed, but for another account or number. */
  public void notOurs() {
    notOurs.add(systemClock.instant());
  }

  /** Returns how many calls had no valid signature since this process started. */
  public long count() {
    return unsigned.count();
  }

  /** Returns how many calls were for another account or number since this process started. */
  public long countNotOurs() {
    return notOurs.count();
  }

  /** Returns how many calls had no valid signature in the last hour, counting at most 10,000. */
  public int lately() {
    return unsigned.since(systemClock.instant().minus(REMEMBERED));
  }

  /** Returns how many calls were for another account or number in the last hour, at most 10,000. */
  public int latelyNotOurs() {
    return notOurs.since(systemClock.instant().minus(REMEMBERED));
  }
}
