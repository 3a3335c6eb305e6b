package org.habitline.ops.health;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.conversation.model.PinnedModels;
import org.habitline.conversation.model.Ruling;
import org.habitline.conversation.turn.ClosedTurn;
import org.habitline.conversation.turn.TurnListener;
import org.habitline.flows.FlowCatalog;
import org.habitline.protocol.ReplyGate;
import org.habitline.tools.ToolCatalog;

/**
 * Counts turns, their model calls, tool calls and transitions, in the process that committed them.
 * A model may request any tool name: names outside the catalogue are counted as unknown.
 */
@Singleton
final class TurnMetrics implements TurnListener {

  private static final String UNKNOWN = "unknown";

  private final MeterRegistry registry;
  private final Set<String> tools;
  private final Set<String> modules;

  TurnMetrics(MeterRegistry registry, ToolCatalog tools, FlowCatalog flows, PinnedModels models) {
    this.registry = registry;
    FunctionCounter.builder("habitline.other.models", models, PinnedModels::count)
        .description("Replies of another model than the one asked")
        .register(registry);
    this.tools =
        Stream.concat(
                tools.names().stream(),
                flows.all().stream()
                    .flatMap(flow -> flow.modules().values().stream())
                    .flatMap(module -> module.tools().stream()))
            .collect(Collectors.toUnmodifiableSet());
    this.modules =
        flows.all().stream()
            .flatMap(flow -> flow.modules().keySet().stream())
            .collect(Collectors.toUnmodifiableSet());
    this.modules.forEach(this::transitions);
    gateChecks();
    OpinionMetrics.show(registry);
    for (var gate : ReplyGate.values()) {
      Ruling.HITS.forEach(result -> gateHits(gate.word(), result));
    }
  }

  @Override
  public void closed(ClosedTurn turn) {
    Counter.builder("habitline.turns")
        .description("Committed turns")
        .tags("kind", turn.kind().word(), "outcome", turn.outcome().word())
        .register(registry)
        .increment();
    Counter.builder("habitline.iterations")
        .description("Model calls within committed turns")
        .register(registry)
        .increment(turn.iterations());
    for (var call : turn.calls()) {
      Counter.builder("habitline.tool.calls")
          .description("Tool calls within committed turns")
          .tags("tool", known(tools, call.tool()), "result", call.result())
          .register(registry)
          .increment();
    }
    for (var ruling : turn.rulings()) {
      gateChecks().increment();
      if (ruling instanceof Ruling.Hit hit) {
        gateHits(hit.gate(), hit.result()).increment();
      }
    }
    turn.movedTo().forEach(module -> transitions(known(modules, module)).increment());
  }

  private Counter gateChecks() {
    return Counter.builder("habitline.gate.checks")
        .description("Texts of a model that the gates checked, within committed turns")
        .register(registry);
  }

  private Counter gateHits(String gate, String result) {
    return Counter.builder("habitline.gate.hits")
        .description("Texts of a model that a gate blocked, within committed turns")
        .tags("gate", gate, "result", result)
        .register(registry);
  }

  private Counter transitions(String module) {
    return Counter.builder("habitline.transitions")
        .description("Moves to a module")
        .tag("to", module)
        .register(registry);
  }

  private static String known(Set<String> names, String name) {
    return names.contains(name) ? name : UNKNOWN;
  }
}
