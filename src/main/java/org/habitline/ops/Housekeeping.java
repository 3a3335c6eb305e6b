package org.habitline.ops;

import io.micronaut.context.annotation.Value;
import io.micronaut.scheduling.annotation.Scheduled;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import org.habitline.audit.Events;
import org.habitline.messaging.DeliveryReports;
import org.habitline.messaging.Inbox;
import org.habitline.staff.Imports;

/** Forgets what is kept for a while only, on every node. */
@Singleton
final class Housekeeping {

  private final Events events;
  private final Inbox inbox;
  private final DeliveryReports reports;
  private final Imports imports;
  private final Duration rawRetention;
  private final Clock systemClock;

  Housekeeping(
      Events events,
      Inbox inbox,
      DeliveryReports reports,
      Imports imports,
      @Value("${raw.retention}") Duration rawRetention,
      @Named("system") Clock systemClock) {
    this.events = events;
    this.inbox = inbox;
    this.reports = reports;
    this.imports = imports;
    this.rawRetention = rawRetention;
    this.systemClock = systemClock;
  }

  @Scheduled(initialDelay = "5m", fixedDelay = "1h")
  void forget() {
    events.prune();
    inbox.clearRaw(systemClock.instant().minus(rawRetention));
    inbox.forgetErased();
    reports.forgetStrays();
    imports.forgetPreviews();
  }
}
