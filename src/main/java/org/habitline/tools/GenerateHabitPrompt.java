package org.habitline.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.habitline.flows.Flow;
import org.habitline.flows.PromptGenerator;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.ToolSpec;

/**
 * Has the participant's personal habit prompt written by a model, for the asking model to speak as
 * its reply. A model that gives no usable sentence makes the call an error: nothing is stored, and
 * the asking model is told so.
 */
@Singleton
final class GenerateHabitPrompt implements Tool {

  private static final String DELIVERY_MODE = "delivery_mode";
  private static final String PERSONALIZATION_NOTES = "personalization_notes";
  private static final List<String> DELIVERY_MODES = List.of("immediate");
  private static final int LONGEST_NOTES = 500;

  /** Three text messages of 160 characters; a longer answer is not one sentence. */
  private static final int LONGEST_PROMPT = 480;

  private static final List<String> QUOTES = List.of("\"\"", "''", "``", "“”", "‘’", "«»", "„“");

  @Override
  public String name() {
    return "generate_habit_prompt";
  }

  @Override
  public ToolSpec spec(Flow flow) {
    return new ToolSpec(
        name(),
        "Writes the participant's personal habit prompt from what is saved in the profile and gives"
            + " it to you to send as your reply.",
        new StrictSchema()
            .choice(
                DELIVERY_MODE, "immediate: you send the prompt now, as your reply.", DELIVERY_MODES)
            .optionalText(
                PERSONALIZATION_NOTES,
                "What the participant said that this prompt should take up.",
                LONGEST_NOTES)
            .done());
  }

  @Override
  public ToolOutcome call(ToolRun run, ObjectNode given) {
    var arguments = new Arguments(given, List.of(DELIVERY_MODE, PERSONALIZATION_NOTES), List.of());
    var mode = arguments.requiredChoice(DELIVERY_MODE, DELIVERY_MODES);
    var notes = arguments.text(PERSONALIZATION_NOTES, LONGEST_NOTES);
    if (arguments.refusal().isPresent()) {
      return arguments.refusal().get();
    }
    var generator = run.flow().promptGenerator();
    if (generator == null) {
      return ToolOutcome.error("This flow writes no habit prompts.");
    }
    var missing = ProfileStatus.missing(run.flow(), run.copy().profile());
    if (!missing.isEmpty()) {
      return incomplete(missing);
    }
    return switch (ask(run, generator, notes)) {
      case ModelReply.Says says ->
          sentence(says.text())
              .map(text -> written(text, mode.orElseThrow()))
              .orElseGet(() -> unwritten("its answer was not one short sentence"));
      case ModelReply.CallsTools calls -> unwritten("its answer was not one short sentence");
      case ModelReply.CutOff cut -> unwritten("its answer was cut off");
      case ModelReply.Refused refused -> unwritten("it declined to write it");
      case ModelReply.Failed failed -> unwritten("it did not answer in time");
    };
  }

  private ModelReply ask(ToolRun run, PromptGenerator generator, Optional<String> notes) {
    var prompt = run.prompts().prompt(run.flow(), generator.prompt());
    var messages = new ArrayList<ModelMessage>();
    messages.add(new ModelMessage.SystemText(prompt.text()));
    var background = run.participant().backgroundText();
    if (!background.isEmpty()) {
      messages.add(new ModelMessage.SystemText(background));
    }
    var profile = run.copy().profile();
    messages.add(
        new ModelMessage.SystemText("Profile: " + ProfileStatus.line(run.flow(), profile)));
    TonePolicy.message(profile.tone())
        .ifPresent(policy -> messages.add(new ModelMessage.SystemText(policy)));
    messages.add(
        new ModelMessage.UserText(
            "<write the prompt now>"
                + notes.map(text -> "\nPersonalization notes: " + text).orElse("")));
    var settings = generator.model();
    return run.model()
        .ask(
            new ModelRequest(
                settings.model(),
                settings.temperature(),
                settings.maxTokens(),
                messages,
                List.of(),
                false,
                false),
            prompt.file(),
            prompt.sha256());
  }

  /** The answer as one line without quotes around it, or empty if it cannot be sent to anyone. */
  private static Optional<String> sentence(String answer) {
    var text = Words.cleaned(answer);
    while (quoted(text)) {
      text = text.substring(1, text.length() - 1).strip();
    }
    var raw = text.startsWith("{") || text.startsWith("[") || text.startsWith("<");
    var usable = !text.isEmpty() && !raw && Words.length(text) <= LONGEST_PROMPT;
    return usable ? Optional.of(text) : Optional.empty();
  }

  private static boolean quoted(String text) {
    return text.length() >= 2
        && QUOTES.contains("" + text.charAt(0) + text.charAt(text.length() - 1));
  }

  private static ToolOutcome written(String text, String mode) {
    var outcome = ToolOutcome.success(new Effect.StoreHabitPrompt(text));
    outcome
        .result()
        .put(DELIVERY_MODE, mode)
        .put("prompt", text)
        .put(
            "message",
            "Make the text in prompt your whole reply, word for word, with nothing before or after"
                + " it.");
    return outcome;
  }

  private static ToolOutcome incomplete(List<String> missing) {
    var outcome =
        ToolOutcome.error(
            "A habit prompt cannot be written yet: the profile does not say %s. Save that first."
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
