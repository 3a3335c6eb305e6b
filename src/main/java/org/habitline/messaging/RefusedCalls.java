package org.habitline.messaging;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;

/** Counts calls of webhooks that were refused because nobody signed them who may. */
@Singleton
public final class RefusedCalls {

  /** What is lately. */
  public static final Duration REMEMBERED = Duration.ofHours(1);

  private static final int AT_MOST = 10_000;

  private final Clock systemClock;
  private final Deque<Instant> lately = new ArrayDeque<>();
  private long count;

  RefusedCalls(@Named("system") Clock systemClock) {
    this.systemClock = systemClock;
  }

  /** Counts one more. */
  public synchronized void refused() {
    count++;
    if (lately.size() >= AT_MOST) {
      lately.removeFirst();
    }
    lately.add(systemClock.instant());
  }

  /** Returns how many there were since this process started. */
  public synchronized long count() {
    return count;
  }

  /** Returns how many there were within the last hour; of very many, as many as are remembered. */
  public synchronized int lately() {
    var since = systemClock.instant().minus(REMEMBERED);
    lately.removeIf(at -> at.isBefore(since));
    return lately.size();
  }
}
