package org.habitline.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.habitline.config.Section;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.flows.FlowNames;
import org.habitline.flows.FlowPart;
import org.habitline.flows.ToolOptions;
import org.habitline.llm.ToolSpec;
import org.habitline.tools.HabitPromptWriter.Writing;

/**
 * Has a model write the participant's personal habit prompt, to be sent as the calling model's
 * reply or as the next scheduled prompt. If no usable sentence comes back, the call returns an
 * error and nothing is stored.
 */
@Singleton
final class GenerateHabitPrompt implements Tool {

  private static final String NAME = "generate_habit_prompt";
  private static final String THEN = "then";
  private static final String DELIVERY_MODE = "delivery_mode";
  private static final String PERSONALIZATION_NOTES = "personalization_notes";
  private static final String IMMEDIATE = "immediate";
  private static final String SCHEDULED = "scheduled";
  private static final int LONGEST_NOTES = 500;

  private final HabitPromptWriter writer;

  GenerateHabitPrompt(HabitPromptWriter writer) {
    this.writer = writer;
  }

  @Override
  public String name() {
    return NAME;
  }

  /**
   * What a module does with a prompt that is sent now.
   *
   * @param then the module that answers from the participant's next message on
   */
  record Options(String then) implements ToolOptions {}

  /** Reads {@code then}, the module that answers once the prompt was sent now. */
  @Override
  public ToolOptions options(Section given, FlowNames names) {
    given.only(THEN);
    if (!given.has(THEN)) {
      return ToolOptions.NONE;
    }
    var then = given.text(THEN, LONGEST_NOTES);
    if (!names.modules().contains(then)) {
      given.refuse(
          THEN,
          "no module is called '%s'; expected one of %s"
              .formatted(then, String.join(", ", names.modules())));
    }
    return new Options(then);
  }

  @Override
  public Set<FlowPart> needs() {
    return Set.of(FlowPart.PROMPT_GENERATOR);
  }

  @Override
  public ToolSpec spec(Flow flow, FlowModule module) {
    return new ToolSpec(
        name(),
        "Writes the habit prompt from the saved profile.",
        new StrictSchema()
            .choice(DELIVERY_MODE, modesExplained(flow), modes(flow))
            .optionalText(
                PERSONALIZATION_NOTES, "What they said that it should respond to.", LONGEST_NOTES)
            .done());
  }

  /** Returns the modes; a flow without daily prompts has no scheduled prompt to send one later. */
  private static List<String> modes(Flow flow) {
    return flow.dailyPrompt() == null ? List.of(IMMEDIATE) : List.of(IMMEDIATE, SCHEDULED);
  }

  private static String modesExplained(Flow flow) {
    var immediate = "immediate: you send it now, as your reply.";
    return flow.dailyPrompt() == null
        ? immediate
        : immediate + " scheduled: it is the next scheduled prompt; do not send it.";
  }

  @Override
  public ToolOutcome call(ToolRun run, ObjectNode given) {
    var arguments = new Arguments(given, List.of(DELIVERY_MODE, PERSONALIZATION_NOTES), List.of());
    var mode = arguments.requiredChoice(DELIVERY_MODE, modes(run.flow()));
    var notes = arguments.text(PERSONALIZATION_NOTES, LONGEST_NOTES);
    if (arguments.refusal().isPresent()) {
      return arguments.refusal().get();
    }
    if (run.flow().promptGenerator() == null) {
      return ToolOutcome.error("This flow writes no habit prompts.");
    }
    var writing =
        writer.write(
            run.flow(),
            run.prompts(),
            run.participant(),
            run.copy().profile(),
            new HabitPromptWriter.Occasion.Asked(notes),
            run.model());
    return switch (writing) {
      case Writing.Written(var text) ->
          mode.orElseThrow().equals(SCHEDULED) ? prepared(text, run.copy()) : spoken(text, run);
      case Writing.Incomplete(var missing) -> incomplete(missing);
      case Writing.Unwritten unwritten -> unwritten(unwritten.why());
    };
  }

  /** Returns the prompt to send now, with the move to the module that asks how it went. */
  private static ToolOutcome spoken(String text, ToolRun run) {
    var effects = new ArrayList<Effect>();
    effects.add(new Effect.StoreHabitPrompt(text));
    var copy = run.copy();
    var then =
        run.flow()
            .module(run.module())
            .flatMap(module -> module.options(NAME, Options.class))
            .map(Options::then)
            .filter(to -> copy.movingTo() == null && !to.equals(copy.state()));
    then.ifPresent(to -> {
      CompletedPart.handOver(run.flow(), run.module(), copy.profile(), run.now())
          .ifPresent(effects::add);
      effects.add(new Effect.MoveState(copy.state(), to, "a prompt was sent to try now"));
    });
    var outcome =
        written(
            effects,
            IMMEDIATE,
            text,
            then.map(to ->
                    "%s answers from the participant's next message on; do not call transition_state. "
                        .formatted(to))
                    .orElse("If a move to another module is due, call transition_state first. ")
                + "Make the text in prompt your whole reply, word for word, with nothing before or"
                + " after it.");
    then.ifPresent(to -> outcome.result().put("from", copy.state()).put("to", to));
    return outcome;
  }

  private static ToolOutcome prepared(String text, WorkingCopy copy) {
    return written(
        List.of(new Effect.PrepareHabitPrompt(text)),
        SCHEDULED,
        text,
        copy.agenda().planned().isEmpty()
            ? "The text in prompt will be sent as the next scheduled prompt, but no schedule is"
                + " active, so nothing will be sent: create a schedule too. Do not send the text"
                + " now."
            : "The text in prompt will be sent as the next scheduled prompt. Do not send it now.");
  }

  private static ToolOutcome written(
      List<Effect> effects, String mode, String text, String message) {
    var outcome = ToolOutcome.success(effects.toArray(Effect[]::new));
    outcome.result().put(DELIVERY_MODE, mode).put("prompt", text).put("message", message);
    return outcome;
  }

  private static ToolOutcome incomplete(List<String> missing) {
    var outcome =
        ToolOutcome.error(
            "A habit prompt cannot be written yet: the profile has no %s. Ask the person for it; do not"
                    .formatted(String.join(", ", missing))
                + " make it up.");
    var names = outcome.result().putArray("missing");
    missing.forEach(names::add);
    return outcome;
  }

  private static ToolOutcome unwritten(String why) {
    return ToolOutcome.error(
        "The habit prompt could not be written: the model was asked and %s. Nothing was stored and"
                .formatted(why)
            + " nothing will be sent; say that it did not work this time.");
  }
}
