package org.habitline.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.habitline.config.Section;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.flows.FlowNames;
import org.habitline.flows.ProfileField;
import org.habitline.flows.ToolOptions;
import org.habitline.llm.ToolSpec;
import org.habitline.timers.Moment;

/**
 * Moves the participant to another module, from the next turn on or at a later time. Only the first
 * call of a turn is accepted, so that what the model was told about it stays true.
 */
@Singleton
final class TransitionState implements Tool {

  private static final String NAME = "transition_state";
  private static final String TO = "to";
  private static final String DELAY = "delay";
  private static final String WHEN_COMPLETE = "when_complete";
  private static final String TARGET_STATE = "target_state";
  private static final String DELAY_MINUTES = "delay_minutes";
  private static final String REASON = "reason";
  private static final int LONGEST_REASON = 300;
  private static final Duration LONGEST_DELAY = Duration.ofDays(30);
  private static final double MILLIS_PER_MINUTE = 60_000;

  @Override
  public String name() {
    return NAME;
  }

  /**
   * The moves that a module allows.
   *
   * @param whenComplete by the module to move to, the fields that must have a value first; empty
   *     for every module, without conditions
   * @param delay whether a move may be delayed
   */
  record Moves(Map<String, List<String>> whenComplete, boolean delay) implements ToolOptions {
    Moves {
      whenComplete = Collections.unmodifiableMap(new LinkedHashMap<>(whenComplete));
    }
  }

  /**
   * Reads {@code to}, a list of modules, each alone or with {@code when_complete: [fields]}, and
   * {@code delay}.
   */
  @Override
  public ToolOptions options(Section given, FlowNames names) {
    given.only(TO, DELAY);
    var delay = given.flag(DELAY, true);
    if (!given.has(TO)) {
      return new Moves(Map.of(), delay);
    }
    var fields = names.profile().stream().map(ProfileField::name).toList();
    var moves = new LinkedHashMap<String, List<String>>();
    var index = 0;
    for (var named : given.named(TO).entrySet()) {
      var target = named.getKey();
      if (!names.modules().contains(target)) {
        given.refuse(
            TO,
            index,
            "no module is called '%s'; expected one of %s"
                .formatted(target, String.join(", ", names.modules())));
      }
      moves.put(target, whenComplete(named.getValue(), fields));
      index++;
    }
    if (moves.isEmpty()) {
      given.refuse(TO, "expected at least one module");
    }
    return new Moves(moves, delay);
  }

  private static List<String> whenComplete(Section target, List<String> fields) {
    target.only(WHEN_COMPLETE);
    var needed = target.optionalTexts(WHEN_COMPLETE, LONGEST_REASON);
    for (int i = 0; i < needed.size(); i++) {
      if (!fields.contains(needed.get(i))) {
        target.refuse(
            WHEN_COMPLETE,
            i,
            "no field is called '%s'; expected one of %s"
                .formatted(needed.get(i), String.join(", ", fields)));
      }
    }
    return needed;
  }

  @Override
  public ToolSpec spec(Flow flow, FlowModule module) {
    var delayed = moves(flow, module.id()).map(Moves::delay).orElse(true);
    var schema = new StrictSchema().choice(TARGET_STATE, "The module.", targets(flow, module.id()));
    if (delayed) {
      schema.optionalNumber(
          DELAY_MINUTES,
          "Minutes until the move, at most %d; null moves at once."
              .formatted(LONGEST_DELAY.toMinutes()));
    }
    return new ToolSpec(
        name(),
        "Lets another module answer from their next message on%s. Once in a turn."
            .formatted(delayed ? ", or later" : ""),
        schema.optionalText(REASON, "A few words for the study team.", LONGEST_REASON).done());
  }

  @Override
  public ToolOutcome call(ToolRun run, ObjectNode given) {
    var arguments = new Arguments(given, List.of(TARGET_STATE, DELAY_MINUTES, REASON), List.of());
    var target = arguments.requiredChoice(TARGET_STATE, targets(run.flow(), run.module()));
    var delay = delay(arguments);
    var reason = arguments.text(REASON, LONGEST_REASON).orElse("");
    if (arguments.refusal().isPresent()) {
      return arguments.refusal().get();
    }
    var to = target.orElseThrow();
    if (to.equals(run.copy().movingTo()) && delay.isZero()) {
      return ToolOutcome.noop(
          "The move to %s was already asked for in this turn; it counts as it was asked for first."
              .formatted(to));
    }
    if (run.copy().movingTo() != null) {
      return ToolOutcome.error(
          TARGET_STATE,
          "The move to %s was already asked for in this turn; only the first move of a turn counts."
              .formatted(run.copy().movingTo()),
          List.of());
    }
    var missing = missing(run, to);
    if (!missing.isEmpty()) {
      return incomplete(to, missing);
    }
    return delay.isZero() ? move(run, to, reason) : moveLater(run, to, delay, reason);
  }

  private static Optional<Moves> moves(Flow flow, String module) {
    return flow.module(module).flatMap(it -> it.options(NAME, Moves.class));
  }

  /** Returns the modules that a module may move to: those its flow lists, else all. */
  private static Set<String> targets(Flow flow, String module) {
    return moves(flow, module)
        .map(it -> it.whenComplete().keySet())
        .filter(to -> !to.isEmpty())
        .orElse(flow.modules().keySet());
  }

  /** Returns the fields that must have a value before this move and have none. */
  private static List<String> missing(ToolRun run, String to) {
    var needed =
        moves(run.flow(), run.module())
            .map(it -> it.whenComplete().getOrDefault(to, List.of()))
            .orElse(List.of());
    return run.flow().profile().stream()
        .filter(field -> needed.contains(field.name()))
        .filter(field -> ProfileStatus.isToFillIn(run.flow(), run.copy().profile(), field))
        .map(ProfileField::name)
        .toList();
  }

  private static ToolOutcome incomplete(String to, List<String> missing) {
    var refused =
        ToolOutcome.error(
            TARGET_STATE,
            "The move to %s needs these fields first: %s."
                .formatted(to, String.join(", ", missing)),
            List.of());
    var fields = refused.result().putArray("missing_fields");
    missing.forEach(fields::add);
    return refused;
  }

  private static Duration delay(Arguments arguments) {
    var minutes = arguments.number(DELAY_MINUTES).orElse(0);
    // Written this way round, the condition also rejects NaN.
    if (!(minutes >= 0 && minutes <= LONGEST_DELAY.toMinutes())) {
      arguments.refuse(
          DELAY_MINUTES,
          "The delay is 0 to %d minutes, which is %d days; 0 or null moves at once."
              .formatted(LONGEST_DELAY.toMinutes(), LONGEST_DELAY.toDays()),
          List.of());
      return Duration.ZERO;
    }
    return Duration.ofMillis(Math.round(minutes * MILLIS_PER_MINUTE));
  }

  private static ToolOutcome move(ToolRun run, String to, String reason) {
    var copy = run.copy();
    if (to.equals(copy.state())) {
      return ToolOutcome.noop("%s is already the module that answers.".formatted(to));
    }
    var stamp = CompletedPart.handOver(run.flow(), run.module(), copy.profile(), run.now());
    var moved =
        ToolOutcome.success(
            Stream.concat(stamp.stream(), Stream.of(new Effect.MoveState(copy.state(), to, reason)))
                .toArray(Effect[]::new));
    moved
        .result()
        .put("from", copy.state())
        .put("to", to)
        .put(
            "message",
            "%s answers from the participant's next message on; finish this reply yourself."
                .formatted(to));
    return moved;
  }

  /**
   * Plans a later move. It may name the current module, because by then it may be another one. The
   * module counts as completed when the move is carried out, because it may yet be cancelled.
   */
  private static ToolOutcome moveLater(ToolRun run, String to, Duration delay, String reason) {
    var dueAt = run.now().plus(delay);
    var zone = run.copy().agenda().zone();
    var local = Moment.at(dueAt, zone).text();
    var moved = ToolOutcome.success(new Effect.MoveLater(to, dueAt, reason));
    moved
        .result()
        .put("from", run.copy().state())
        .put("to", to)
        .put("due_at_local", local)
        .put("timezone", zone.getId())
        .put(
            "message",
            "%s answers from %s on, in the participant's time (%s); until then nothing changes."
                .formatted(to, local, zone.getId()));
    return moved;
  }
}
