package org.habitline.messaging;

import jakarta.inject.Singleton;
import java.util.concurrent.atomic.AtomicLong;

/** Counts calls of webhooks that were refused because nobody signed them who may. */
@Singleton
public final class RefusedCalls {

  private final AtomicLong refused = new AtomicLong();

  /** Counts one more. */
  public void refused() {
    refused.incrementAndGet();
  }

  /** Returns how many there were since this process started. */
  public long count() {
    return refused.get();
  }
}
