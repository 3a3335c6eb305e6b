package org.habitline.ops.health;

import io.micronaut.context.annotation.Factory;
import io.micronaut.core.async.publisher.Publishers;
import io.micronaut.health.HealthStatus;
import io.micronaut.management.health.indicator.HealthIndicator;
import io.micronaut.management.health.indicator.HealthResult;
import jakarta.inject.Singleton;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.habitline.flows.FlowCatalog;
import org.habitline.llm.LanguageModel;
import org.habitline.messaging.Waiting;
import org.habitline.messaging.inbox.InputKind;
import org.habitline.messaging.outbox.SendingStop;
import org.habitline.ops.database.ErasedSpace;
import org.habitline.ops.database.FreeSpace;
import org.habitline.ops.database.H2WriteLock;
import org.habitline.ops.start.ServiceLifecycle;
import org.habitline.participants.ChannelKind;
import org.habitline.tools.ExportFiles;
import org.habitline.tools.KnowledgeBases;
import org.habitline.tools.OutsideTools;

/** Creates Habitline's own parts of the details of {@code /health}. */
@Factory
final class HealthFactory {

  /**
   * Reports which model is used, without calling it, because a call costs money. Recent failed
   * turns are shown, but the status stays up: the flow's fallback message is sent.
   */
  @Singleton
  HealthIndicator modelHealth(LanguageModel model, ModelFailures failures) {
    return () -> Publishers.just(result("model", HealthStatus.UP, model(model, failures)));
  }

  private static Map<String, Object> model(LanguageModel model, ModelFailures failures) {
    var details = new LinkedHashMap<String, Object>();
    details.put("rehearsal", model.rehearsal());
    details.put("model", model.describe());
    model.adapted().ifPresent(adapted -> details.put("adapted", adapted));
    failures.told().ifPresent(told -> details.put("trouble", told));
    return details;
  }

  /**
   * Reports missing prompt files, unusable documents, MCP servers that cannot be used and exports
   * that cannot be written; the service works without them.
   */
  @Singleton
  HealthIndicator flowHealth(
      FlowCatalog flows, KnowledgeBases documents, OutsideTools tools, ExportFiles exports) {
    return () ->
        Publishers.just(
            result(
                "flows",
                HealthStatus.UP,
                Map.of("warnings", warnings(flows, documents, tools, exports))));
  }

  private static List<String> warnings(
      FlowCatalog flows, KnowledgeBases documents, OutsideTools tools, ExportFiles exports) {
    return Stream.of(
            flows.warnings().stream(),
            documents.warnings(flows.all()).stream(),
            tools.warnings().stream(),
            exports.warning().stream())
        .flatMap(warnings -> warnings)
        .toList();
  }

  /** Reports down before the service is open and from the moment it stops. */
  @Singleton
  HealthIndicator lineHealth(ServiceLifecycle keeper) {
    return () -> {
      var open = keeper.open();
      return Publishers.just(
          result("line", open ? HealthStatus.UP : HealthStatus.DOWN, Map.of("open", open)));
    };
  }

  /**
   * Reports down while the H2 file cannot be written: what arrives is not acknowledged. With little
   * free space the status stays up.
   */
  @Singleton
  HealthIndicator diskHealth(H2WriteLock writer, FreeSpace space) {
    return () ->
        Publishers.just(
            result(
                "disk",
                writer.isFailing() ? HealthStatus.DOWN : HealthStatus.UP,
                disk(space.bytes())));
  }

  private static Map<String, Object> disk(Optional<Long> free) {
    var details = new LinkedHashMap<String, Object>();
    free.ifPresent(bytes -> details.put("free_megabytes", bytes >> 20));
    free.filter(bytes -> bytes < FreeSpace.LITTLE)
        .ifPresent(bytes -> details.put("trouble", "little free space"));
    return details;
  }

  /** Reports a stop of all sending; the status stays up, because texts are still received. */
  @Singleton
  HealthIndicator sendingHealth(SendingStop sending) {
    return () -> Publishers.just(sending(sending));
  }

  /**
   * Reports crises and urgent flags that no one has acknowledged, and what is missing for alerts
   * and crisis texts; the status stays up.
   */
  @Singleton
  HealthIndicator safetyHealth(SafetyWatch safety) {
    return () -> Publishers.just(safety(safety));
  }

  private static HealthResult safety(SafetyWatch safety) {
    try {
      return result(
          "safety",
          HealthStatus.UP,
          Map.of(
              "unacknowledged_crises",
              safety.unacknowledgedCrises().size(),
              "unacknowledged_flags",
              safety.unacknowledgedFlags().size(),
              "warnings",
              safety.warnings(),
              "notes",
              safety.notes()));
    } catch (RuntimeException e) {
      // The database's own indicator reports the failure.
      return result("safety", HealthStatus.UP, Map.of());
    }
  }

  /** Reports budgets that the study has nearly or wholly used today; the status stays up. */
  @Singleton
  HealthIndicator budgetHealth(BudgetWatch budgets) {
    return () -> Publishers.just(budgets(budgets));
  }

  private static HealthResult budgets(BudgetWatch budgets) {
    try {
      return result("budgets", HealthStatus.UP, Map.of("warnings", budgets.warnings()));
    } catch (RuntimeException e) {
      // The database's own indicator reports the failure.
      return result("budgets", HealthStatus.UP, Map.of());
    }
  }

  /** Reports erasures whose rows are deleted while the database files still hold the data. */
  @Singleton
  HealthIndicator erasureHealth(ErasedSpace space) {
    return () -> Publishers.just(erasures(space));
  }

  private static HealthResult erasures(ErasedSpace space) {
    try {
      var unfinished = space.unfinished();
      return result(
          "erasures",
          HealthStatus.UP,
          unfinished == 0 ? Map.of("unfinished", 0) : unfinished(unfinished, space));
    } catch (RuntimeException e) {
      // The database's own indicator reports the failure.
      return result("erasures", HealthStatus.UP, Map.of());
    }
  }

  private static Map<String, Object> unfinished(int erasures, ErasedSpace space) {
    var details = new LinkedHashMap<String, Object>();
    details.put("unfinished", erasures);
    details.put("percent", space.percent());
    space.heldUpBy().ifPresent(reader -> details.put("held_up_by", reader));
    return details;
  }

  /** Reports the queues and the alerts; the status is up however long they are. */
  @Singleton
  HealthIndicator waitingHealth(Backlog backlog, Alerts alerts) {
    return () -> Publishers.just(result("waiting", HealthStatus.UP, waiting(backlog, alerts)));
  }

  /** Reports failing deletions of old data; the status is up. */
  @Singleton
  HealthIndicator upkeepHealth(Housekeeping housekeeping) {
    return () -> Publishers.just(result("upkeep", HealthStatus.UP, upkeep(housekeeping)));
  }

  private static Map<String, Object> upkeep(Housekeeping housekeeping) {
    var details = new LinkedHashMap<String, Object>();
    housekeeping.done().ifPresent(at -> details.put("retention_done_at", at.toString()));
    var failing = new TreeMap<String, Object>();
    housekeeping.failing().forEach((step, since) -> failing.put(step, since.toString()));
    details.put("retention_failing_since", failing);
    return details;
  }

  private static Map<String, Object> waiting(Backlog backlog, Alerts alerts) {
    var details = new LinkedHashMap<String, Object>();
    details.put("alerts", alerts.raised().stream().map(Alert::word).sorted().toList());
    backlog
        .seen()
        .ifPresentOrElse(
            seen -> {
              details.put("inbox", queues(seen, seen.inbox(), InputKind::word));
              details.put("outbox", queues(seen, seen.outbox(), ChannelKind::word));
              details.put(
                  "late_wakeups",
                  Map.of(
                      "count", seen.wakeups().count(),
                      "late_by_seconds", seen.wakeups().by().toSeconds()));
              details.put("missed_prompts_24h", seen.missed());
              details.put("unclaimed", seen.unclaimed());
              details.put("stray_texts_24h", seen.strays());
              details.put(
                  "lock_waits",
                  seen.locks()
                      .<Object>map(locks ->
                          Map.of(
                              "connections", locks.connections(),
                              "longest_seconds", locks.longest().toSeconds()))
                      .orElse("not known now"));
            },
            () -> details.put("queues", "not known while the database cannot be read"));
    return details;
  }

  private static <K> Map<String, Object> queues(
      Backlog.Seen seen, List<Waiting<K>> queues, Function<K, String> word) {
    var details = new TreeMap<String, Object>();
    queues.forEach(queue ->
        details.put(
            word.apply(queue.what()),
            Map.of("count", queue.count(), "oldest_seconds", seen.age(queue).toSeconds())));
    return details;
  }

  private static HealthResult sending(SendingStop sending) {
    try {
      return result(
          "sending",
          HealthStatus.UP,
          sending
              .inForce()
              .<Map<String, Object>>map(stopped ->
                  Map.of(
                      "stopped", true,
                      "since", stopped.at().toString(),
                      "by", stopped.by(),
                      "reason", stopped.reason()))
              .orElseGet(() -> Map.of("stopped", false)));
    } catch (RuntimeException e) {
      // Unknown without the database, whose own indicator reports the failure.
      return result("sending", HealthStatus.DOWN, Map.of());
    }
  }

  private static HealthResult result(
      String name, HealthStatus status, Map<String, Object> details) {
    return HealthResult.builder(name, status).details(details).build();
  }
}
