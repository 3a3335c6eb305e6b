package org.habitline.ops.start;

import io.micronaut.context.event.ShutdownEvent;
import io.micronaut.runtime.event.annotation.EventListener;
import io.micronaut.runtime.server.event.ServerStartupEvent;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.habitline.conversation.ExportCopies;
import org.habitline.conversation.configuration.ConfigurationVersions;
import org.habitline.flows.FlowCatalog;
import org.habitline.messaging.MessagingLifecycle;
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

/** Opens the service once the server is up, and closes it before anything else is shut down. */
@Singleton
public final class ServiceLifecycle {

  /** How long an alert that is being sent may take when the service stops. */
  private static final Duration STOPPED_WITHIN = Duration.ofSeconds(5);

  private final MessagingLifecycle line;
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

  ServiceLifecycle(
      MessagingLifecycle line,
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
    line.start();
    alerting.start();
    sweeps.start();
    imports.start();
    bulk.start();
    open = true;
  }

  @EventListener
  public void close(ShutdownEvent event) {
    open = false;
    imports.stop();
    bulk.stop();
    studyExports.stop();
    sweeps.stop();
    alerting.stop(STOPPED_WITHIN);
    line.stop();
  }
}
