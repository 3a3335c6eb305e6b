package org.habitline.ops.health;

import io.micronaut.context.annotation.Value;
import io.micronaut.scheduling.annotation.Scheduled;
import jakarta.inject.Inject;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.habitline.audit.Events;
import org.habitline.budgets.Spending;
import org.habitline.conversation.ExportCopies;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.RawPosts;
import org.habitline.messaging.outbox.DeliveryReports;
import org.habitline.ops.database.Backups;
import org.habitline.participants.Participants;
import org.habitline.protocol.RetentionPlan.Kind;
import org.habitline.safety.incidents.IncidentWords;
import org.habitline.staff.bulk.BulkRun;
import org.habitline.staff.imports.Imports;
import org.habitline.study.Retention;
import org.habitline.study.exports.StudyExports;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes data whose retention is over, on every node. The steps are independent: one that fails is
 * logged and retried an hour later, and the others still run.
 */
@Singleton
final class Housekeeping {

  private static final Logger log = LoggerFactory.getLogger(Housekeeping.class);

  private final List<Step> steps;
  private final Clock systemClock;
  private final Map<String, Instant> failing = new ConcurrentHashMap<>();
  private volatile Optional<Instant> done = Optional.empty();

  /** One kind of data, and how it is deleted. */
  record Step(String name, Runnable act) {}

  @Inject
  Housekeeping(
      Events events,
      Inbox inbox,
      Participants participants,
      RawPosts rawPosts,
      DeliveryReports reports,
      Imports imports,
      BulkRun bulk,
      ExportCopies exports,
      StudyExports studyExports,
      Spending spending,
      IncidentWords incidents,
      Retention retention,
      Backups backups,
      @Value("${raw.retention}") Duration rawRetention,
      @Named("system") Clock systemClock) {
    this(
        List.of(
            new Step("events", events::prune),
            new Step(
                "original requests",
                () -> forgetRawPosts(rawPosts, retention, rawRetention, systemClock.instant())),
            new Step("data that the study keeps no longer", retention::apply),
            new Step(
                "backups",
                () -> retention.once(Kind.BACKUPS, (since, before) -> backups.forget(before))),
            new Step("ids of erased texts", inbox::forgetErased),
            new Step("export files", exports::finish),
            new Step("exports of the study", studyExports::tidy),
            new Step("opted-out numbers without an owner", participants::forgetNumbersOfNobody),
            new Step("stray delivery reports", reports::forgetStrays),
            new Step("import previews", imports::forgetPreviews),
            new Step("previews and words of bulk actions", bulk::forget),
            new Step("amounts spent", spending::forget),
            new Step("words of safety incidents", incidents::removeOld)),
        systemClock);
  }

  Housekeeping(List<Step> steps, Clock systemClock) {
    this.steps = List.copyOf(steps);
    this.systemClock = systemClock;
  }

  /** Deletes original requests after the time that the study names, or else the setting. */
  private static void forgetRawPosts(
      RawPosts rawPosts, Retention retention, Duration usual, Instant now) {
    if (retention.plan().names(Kind.RAW_POSTS)) {
      retention.once(Kind.RAW_POSTS, (since, before) -> rawPosts.forget(before));
    } else {
      rawPosts.forget(now.minus(usual));
    }
  }

  @Scheduled(initialDelay = "5m", fixedDelay = "1h")
  void forget() {
    steps.forEach(this::carryOut);
    done = Optional.of(systemClock.instant());
  }

  private void carryOut(Step step) {
    try {
      step.act().run();
      if (failing.remove(step.name()) != null) {
        log.info("Old {} can be deleted again", step.name());
      }
    } catch (RuntimeException e) {
      failing.putIfAbsent(step.name(), systemClock.instant());
      log.warn(
          "Old {} could not be deleted and are kept too long; the next attempt is within the hour:"
              + " {}",
          step.name(),
          e.getClass().getName());
    }
  }

  /** Returns when all steps last ran, or empty before the first time. */
  Optional<Instant> done() {
    return done;
  }

  /** Returns the failing steps and since when they fail. */
  Map<String, Instant> failing() {
    return new TreeMap<>(failing);
  }
}
