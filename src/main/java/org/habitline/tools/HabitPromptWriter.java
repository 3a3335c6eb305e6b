package org.habitline.tools;

import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.habitline.flows.Flow;
import org.habitline.flows.PromptGenerator;
import org.habitline.flows.Prompts;
import org.habitline.llm.ModelFailure;
import org.habitline.llm.ModelMessage.SystemText;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.Section;
import org.habitline.participants.Participant;
import org.jspecify.annotations.Nullable;

/**
 * Has a model write a participant's personal habit prompt, requested in the conversation or due by
 * a schedule. Stores nothing. Safe for any number of threads.
 */
@Singleton
public final class HabitPromptWriter {

  private static final String NOT_A_SENTENCE = "its answer was not one short sentence";

  private static final List<String> QUOTES = List.of("\"\"", "''", "``", "“”", "‘’", "«»", "„“");

  /** The outcome of writing a prompt. */
  public sealed interface Writing {

    /** One line of at most {@link PromptGenerator#LONGEST_PROMPT} characters that can be sent. */
    record Written(String text) implements Writing {}

    /** The profile lacks these fields, so no model was called. */
    record Incomplete(List<String> missing) implements Writing {
      public Incomplete {
        missing = List.copyOf(missing);
      }
    }

    /**
     * The model returned nothing that can be sent.
     *
     * @param why the reason for models and logs, without any text of a conversation
     * @param withheld whether a gate withheld what the model wrote
     */
    record Unwritten(String why, @Nullable ModelFailure failure, boolean withheld)
        implements Writing {
      Unwritten(String why) {
        this(why, null, false);
      }
    }
  }

  /**
   * Calls the model once and returns the outcome.
   *
   * @param notes what the participant said that the prompt should mention
   */
  public Writing write(
      Flow flow,
      Prompts prompts,
      Participant participant,
      Profile profile,
      Optional<String> notes,
      NestedModel model) {
    var generator = flow.promptGenerator();
    if (generator == null) {
      return new Writing.Unwritten("the flow has no prompt generator");
    }
    var missing = ProfileStatus.missing(flow, profile);
    if (!missing.isEmpty()) {
      return new Writing.Incomplete(missing);
    }
    var prompt = prompts.prompt(flow, generator.prompt());
    var parts = new ArrayList<SystemText>();
    parts.add(new SystemText(prompt.text()));
    var background = participant.backgroundText();
    if (!background.isEmpty()) {
      parts.add(Section.BACKGROUND.holding(background));
    }
    parts.add(Section.STATUS.holding("Profile: " + ProfileStatus.line(flow, profile)));
    TonePolicy.message(profile.tone()).map(Section.TONE::holding).ifPresent(parts::add);
    parts.add(
        Section.EVENT.holding(
            "The prompt is due: write it now."
                // On one line, so that no part of the notes looks like a section.
                + notes
                    .map(text -> "\nPersonalization notes: " + text.replaceAll("\\s+", " ").strip())
                    .orElse("")));
    var settings = generator.model();
    var request =
        new ModelRequest(
            settings.model(),
            settings.temperature(),
            settings.maxTokens(),
            List.of(Section.joined(parts)),
            List.of(),
            false,
            null);
    return model
        .ask(request, prompt)
        .map(HabitPromptWriter::written)
        .orElseGet(() -> new Writing.Unwritten("a gate withheld its answer", null, true));
  }

  private static Writing written(ModelReply reply) {
    return switch (reply) {
      case ModelReply.Says says ->
          sentence(says.text())
              .<Writing>map(Writing.Written::new)
              .orElseGet(() -> new Writing.Unwritten(NOT_A_SENTENCE));
      case ModelReply.CallsTools calls -> new Writing.Unwritten(NOT_A_SENTENCE);
      case ModelReply.CutOff cut -> new Writing.Unwritten("its answer was cut off");
      case ModelReply.Refused refused -> new Writing.Unwritten("it declined to write it");
      case ModelReply.Failed failed ->
          new Writing.Unwritten("it gave no answer", failed.failure(), false);
    };
  }

  /** Returns the reply as one line without surrounding quotes, or empty if it cannot be sent. */
  private static Optional<String> sentence(String answer) {
    var text = Words.cleaned(answer);
    while (quoted(text)) {
      text = text.substring(1, text.length() - 1).strip();
    }
    var raw = text.startsWith("{") || text.startsWith("[") || text.startsWith("<");
    var usable = !text.isEmpty() && !raw && Words.length(text) <= PromptGenerator.LONGEST_PROMPT;
    return usable ? Optional.of(text) : Optional.empty();
  }

  private static boolean quoted(String text) {
    return text.length() >= 2
        && QUOTES.contains("" + text.charAt(0) + text.charAt(text.length() - 1));
  }
}
