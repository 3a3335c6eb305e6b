package org.habitline.ops.start;

import io.micronaut.context.event.ShutdownEvent;
import io.micronaut.runtime.event.annotation.EventListener;
import io.micronaut.runtime.server.event.ServerStartupEvent;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.habitline.conversation.ExportCopies;
import org.habitline.conversation.configuration.ConfigurationVersions;
import org.habitline.flows.FlowCatalog;
import org.habitline.messaging.MessagingLifecycle;
import org.habitline.messaging.Restored;
import org.habitline.ops.database.Backups;
import org.habitline.ops.database.ErasedAgain;
import org.habitline.participants.Suppressed;
import org.habitline.safety.alerts.Alerting;
import org.habitline.staff.bulk.BulkRun;
import org.habitline.staff.imports.Imports;
import org.habitline.study.Rehearsal;
import org.habitline.study.exports.StudyExports;
import org.habitline.timers.StudyTime;
import org.habitline.timers.Sweeps;
import org.habitline.tools.KnowledgeBases;
import org.habitline.tools.OutsideTools;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens the service once the server is up, and closes it before anything else is shut down. */
@Singleton
public final class ServiceLifecycle {

  private static final Logger log = LoggerFactory.getLogger(ServiceLifecycle.class);

  /** How long an alert that is being sent may take when the service stops. */
  private static final Duration STOPPED_WITHIN = Duration.ofSeconds(5);

  /** How often a node looks whether staff have decided about a restored backup. */
  private static final Duration LOOKS_EVERY = Duration.ofSeconds(1);

  private final MessagingLifecycle line;
  private final Backups backups;
  private final Restored restored;
  private final Sweeps sweeps;
  private final StudyTime time;
  private final Rehearsal rehearsal;
  private final Imports imports;
  private final BulkRun bulk;
  private final ErasedAgain erasedAgain;
  private final Suppressed suppressed;
  private final FlowCatalog flows;
  private final KnowledgeBases documents;
  private final OutsideTools outsideTools;
  private final ExportCopies exports;
  private final StudyExports studyExports;
  private final Alerting alerting;
  private final ConfigurationVersions configurations;
  private volatile boolean open;
  private volatile boolean closed;

  ServiceLifecycle(
      MessagingLifecycle line,
      Backups backups,
      Restored restored,
      Sweeps sweeps,
      StudyTime time,
      Rehearsal rehearsal,
      Imports imports,
      BulkRun bulk,
      ErasedAgain erasedAgain,
      Suppressed suppressed,
      FlowCatalog flows,
      KnowledgeBases documents,
      OutsideTools outsideTools,
      ExportCopies exports,
      StudyExports studyExports,
      Alerting alerting,
      ConfigurationVersions configurations) {
    this.line = line;
    this.backups = backups;
    this.restored = restored;
    this.sweeps = sweeps;
    this.time = time;
    this.rehearsal = rehearsal;
    this.imports = imports;
    this.bulk = bulk;
    this.erasedAgain = erasedAgain;
    this.suppressed = suppressed;
    this.flows = flows;
    this.documents = documents;
    this.outsideTools = outsideTools;
    this.exports = exports;
    this.studyExports = studyExports;
    this.alerting = alerting;
    this.configurations = configurations;
  }

  /** Returns whether the service is open; readiness follows it. */
  public boolean open() {
    return open;
  }

  @EventListener
  public void open(ServerStartupEvent event) {
    if (rehearsal.on()) {
      time.restore();
    }
    SuppressionKey.check(suppressed);
    erasedAgain.atStart();
    documents.open(flows.all());
    outsideTools.refresh();
    exports.atStart();
    configurations.current();
    studyExports.atStart();
    backups.recognise();
    var waits = restored.look();
    line.start();
    alerting.start();
    if (waits) {
      log.warn(
          "The database is a restored backup: nothing that waits in it is done until an admin decides on Today");
      Thread.ofVirtual().name("restored").start(this::awaitDecision);
    } else {
      work();
    }
    open = true;
  }

  private void awaitDecision() {
    while (isUndecided()) {
      LockSupport.parkNanos(LOOKS_EVERY.toNanos());
    }
    work();
  }

  private boolean isUndecided() {
    try {
      return !closed && restored.look();
    } catch (RuntimeException e) {
      log.warn(
          "It cannot be read whether a backup was restored; this is tried again: {}",
          e.getClass().getName());
      return true;
    }
  }

  /** Starts wake-ups and jobs. */
  private synchronized void work() {
    if (!closed) {
      sweeps.start();
      imports.start();
      bulk.start();
    }
  }

  @EventListener
  public synchronized void close(ShutdownEvent event) {
    open = false;
    closed = true;
    imports.stop();
    bulk.stop();
    studyExports.stop();
    sweeps.stop();
    alerting.stop(STOPPED_WITHIN);
    line.stop();
  }
}
