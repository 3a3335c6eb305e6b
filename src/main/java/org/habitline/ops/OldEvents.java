package org.habitline.ops;

import io.micronaut.scheduling.annotation.Scheduled;
import jakarta.inject.Singleton;
import org.habitline.audit.Events;

/** Keeps the event table small, on every node. */
@Singleton
final class OldEvents {

  private final Events events;

  OldEvents(Events events) {
    this.events = events;
  }

  @Scheduled(initialDelay = "5m", fixedDelay = "1h")
  void prune() {
    events.prune();
  }
}
