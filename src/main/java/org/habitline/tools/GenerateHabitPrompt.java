package org.habitline.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Set;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.flows.FlowPart;
import org.habitline.llm.ToolSpec;
import org.habitline.tools.HabitPromptWriter.Writing;

/**
 * Has a model write the participant's personal habit prompt, to be sent as the calling model's
 * reply or as the next scheduled prompt. If no usable sentence comes back, the call returns an
 * error and nothing is stored.
 */
@Singleton
final class GenerateHabitPrompt implements Tool {

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
    return "generate_habit_prompt";
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
          mode.orElseThrow().equals(SCHEDULED) ? prepared(text, run.copy()) : spoken(text);
      case Writing.Incomplete(var missing) -> incomplete(missing);
      case Writing.Unwritten unwritten -> unwritten(unwritten.why());
    };
  }

  private static ToolOutcome spoken(String text) {
    return written(
        new Effect.StoreHabitPrompt(text),
        IMMEDIATE,
        text,
        "Make the text in prompt your whole reply, word for word, with nothing before or after"
            + " it.");
  }

  private static ToolOutcome prepared(String text, WorkingCopy copy) {
    return written(
        new Effect.PrepareHabitPrompt(text),
        SCHEDULED,
        text,
        copy.agenda().planned().isEmpty()
            ? "The text in prompt will be sent as the next scheduled prompt, but no schedule is"
                + " active, so nothing will be sent: create a schedule too. Do not send the text"
                + " now."
            : "The text in prompt will be sent as the next scheduled prompt. Do not send it now.");
  }

  private static ToolOutcome written(Effect effect, String mode, String text, String message) {
    var outcome = ToolOutcome.success(effect);
    outcome.result().put(DELIVERY_MODE, mode).put("prompt", text).put("message", message);
    return outcome;
  }

  private static ToolOutcome incomplete(List<String> missing) {
    var outcome =
        ToolOutcome.error(
            "A habit prompt cannot be written yet: the profile has no %s. Save that first."
                .formatted(String.join(", ", missing)));
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
