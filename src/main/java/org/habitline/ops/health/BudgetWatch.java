package org.habitline.ops.health;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micronaut.context.annotation.Context;
import io.micronaut.scheduling.annotation.Scheduled;
import java.util.List;
import java.util.Locale;
import org.habitline.budgets.Spending;
import org.habitline.budgets.UsedUp.Scope;
import org.habitline.protocol.Budgets.Kind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks regularly for budgets that are nearly or wholly used, so that staff see them, and registers
 * a gauge for each limit.
 */
@Context
final class BudgetWatch {

  private static final Logger log = LoggerFactory.getLogger(BudgetWatch.class);

  private final Spending spending;

  BudgetWatch(Spending spending, MeterRegistry registry) {
    this.spending = spending;
    for (var scope : Scope.values()) {
      for (var kind : Kind.values()) {
        Gauge.builder(
                "habitline.budget.used.ratio",
                spending,
                it -> it.usedShare(scope, kind).orElse(Double.NaN))
            .description(
                "Used share of today's budget: of the study, or the highest of a participant")
            .tag("scope", scope.name().toLowerCase(Locale.ROOT))
            .tag("kind", kind.word())
            .register(registry);
      }
    }
  }

  @Scheduled(initialDelay = "10s", fixedDelay = "30s")
  void look() {
    try {
      spending.look();
    } catch (RuntimeException e) {
      log.warn("Budgets cannot be looked at now; this is tried again: {}", e.getClass().getName());
    }
  }

  /** Returns what the study has nearly or wholly used today, in sentences. */
  List<String> warnings() {
    return spending.warnings();
  }
}
