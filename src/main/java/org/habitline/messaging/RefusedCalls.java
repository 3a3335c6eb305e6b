package org.habitline.messaging;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Counts calls of webhooks that were refused: because nobody signed them who may, or because they
 * were for another account or number.
 */
@Singleton
public final class RefusedCalls {

  /** What is lately. */
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

  /** Counts one more that was not signed. */
  public void refused() {
    unsigned.add(systemClock.instant());
  }

  /** Counts one more that was signed, but for another account or number. */
  public void notOurs() {
    notOurs.add(systemClock.instant());
  }

  /** Returns how many were not signed since this process started. */
  public long count() {
    return unsigned.count();
  }

  /** Returns how many were for another account or number since this process started. */
  public long countNotOurs() {
    return notOurs.count();
  }

  /**
   * Returns how many were not signed within the last hour; of very many, as many as are remembered.
   */
  public int lately() {
    return unsigned.since(systemClock.instant().minus(REMEMBERED));
  }

  /** Returns how many were for another account or number within the last hour, likewise. */
  public int latelyNotOurs() {
    return notOurs.since(systemClock.instant().minus(REMEMBERED));
  }
}
