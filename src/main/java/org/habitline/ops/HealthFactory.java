package org.habitline.ops;

import io.micronaut.context.annotation.Factory;
import io.micronaut.core.async.publisher.Publishers;
import io.micronaut.health.HealthStatus;
import io.micronaut.management.health.indicator.HealthIndicator;
import io.micronaut.management.health.indicator.HealthResult;
import jakarta.inject.Singleton;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.habitline.flows.FlowCatalog;
import org.habitline.llm.LanguageModel;
import org.habitline.messaging.SendingStop;
import org.habitline.messaging.Waiting;

/** What the line itself adds to the details of {@code /health}. */
@Factory
final class HealthFactory {

  /**
   * Which model answers; asking it would cost something, so its being there is not checked. Turns
   * that it failed are told: the line is up, the flow's own text goes out.
   */
  @Singleton
  HealthIndicator modelHealth(LanguageModel model, ModelFailures failures) {
    return () -> Publishers.just(result("model", HealthStatus.UP, model(model, failures)));
  }

  private static Map<String, Object> model(LanguageModel model, ModelFailures failures) {
    var details = new LinkedHashMap<String, Object>();
    details.put("rehearsal", model.rehearsal());
    details.put("model", model.describe());
    failures.told().ifPresent(told -> details.put("trouble", told));
    return details;
  }

  /** Prompt files that are missing: the line works without them, with its built-in texts. */
  @Singleton
  HealthIndicator flowHealth(FlowCatalog flows) {
    return () ->
        Publishers.just(result("flows", HealthStatus.UP, Map.of("warnings", flows.warnings())));
  }

  /** Not ready before the line is open and from the moment it stops. */
  @Singleton
  HealthIndicator lineHealth(LineKeeper keeper) {
    return () -> {
      var open = keeper.open();
      return Publishers.just(
          result("line", open ? HealthStatus.UP : HealthStatus.DOWN, Map.of("open", open)));
    };
  }

  /** A stop of all sending: the line is up, because it still takes texts in. */
  @Singleton
  HealthIndicator sendingHealth(SendingStop sending) {
    return () -> Publishers.just(sending(sending));
  }

  /** What waits, and what an operator should act on; the line is up whatever waits. */
  @Singleton
  HealthIndicator waitingHealth(Backlog backlog, Alerts alerts) {
    return () -> Publishers.just(result("waiting", HealthStatus.UP, waiting(backlog, alerts)));
  }

  private static Map<String, Object> waiting(Backlog backlog, Alerts alerts) {
    var details = new LinkedHashMap<String, Object>();
    details.put("alerts", alerts.raised().stream().map(Alert::word).sorted().toList());
    backlog
        .seen()
        .ifPresentOrElse(
            seen -> {
              details.put("inbox", queues(seen, seen.inbox()));
              details.put("outbox", queues(seen, seen.outbox()));
              details.put(
                  "late_wakeups",
                  Map.of(
                      "count", seen.wakeups().count(),
                      "late_by_seconds", seen.wakeups().by().toSeconds()));
              details.put("missed_prompts_24h", seen.missed());
              details.put("unclaimed", seen.unclaimed());
            },
            () -> details.put("queues", "not known while the database cannot be read"));
    return details;
  }

  private static Map<String, Object> queues(Backlog.Seen seen, List<Waiting> queues) {
    var details = new TreeMap<String, Object>();
    queues.forEach(queue ->
        details.put(
            queue.what(),
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
      // Without the database nobody knows; its own indicator says more.
      return result("sending", HealthStatus.DOWN, Map.of());
    }
  }

  private static HealthResult result(
      String name, HealthStatus status, Map<String, Object> details) {
    return HealthResult.builder(name, status).details(details).build();
  }
}
