package org.habitline.tools;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.habitline.flows.ModelSettings;
import org.habitline.flows.Prompt;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelMessage.AssistantText;
import org.habitline.llm.ModelMessage.SystemText;
import org.habitline.llm.ModelMessage.UserText;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.Section;

/**
 * Has a model summarize a form in a few points, from what is saved and from the conversation.
 * Stores nothing. Safe for any number of threads.
 */
@Singleton
final class FormSummary {

  /** The longest summary, in characters. */
  static final int LONGEST = 2_000;

  private static final String POINT = "- ";

  /** How many points a summary has (seed 002). */
  private static final int FEWEST = 2;

  private static final int MOST = 3;

  private static final String MORE_POINTS =
      "Your last answer did not have two or three points. Write two or three points, each on a line"
          + " of its own that begins with a dash.";

  /**
   * Returns the model's points, each on a line that begins with a dash, or empty if it gave no text
   * that can be stored. If it gives fewer than two points, it is asked once more; if it still does,
   * its text counts as it is. Of more than three points, the first three count.
   *
   * @param file the prompt file
   * @param most the longest summary that can be stored, in characters
   * @param confirmation the participant's words, if the calling model passed them on
   */
  Optional<String> write(ToolRun run, String file, int most, Optional<String> confirmation) {
    var prompt = run.prompts().prompt(run.flow(), file);
    var settings =
        run.flow()
            .module(run.module())
            .map(module -> module.model())
            .orElse(new ModelSettings(null, null, null));
    var messages = new ArrayList<ModelMessage>();
    messages.add(
        Section.joined(
            List.of(
                new SystemText(prompt.text()),
                Section.STATUS.holding("Saved values: " + values(run)),
                Section.EVENT.holding(
                    "The participant confirmed the values%s. Write the summary now."
                        // Cleaned texts have one line, so that none of them looks like a section.
                        .formatted(confirmation.map(words -> ": " + words).orElse(""))))));
    var said = said(run.conversation());
    if (!said.isEmpty()) {
      messages.add(new UserText("The conversation:\n" + said));
    }
    var first = asked(run, settings, messages, prompt, most);
    if (first.isEmpty() || first.get().lines().count() >= FEWEST) {
      return first;
    }
    messages.add(new ModelMessage.AssistantText(first.get(), List.of()));
    messages.add(Section.NOTE.holding(MORE_POINTS));
    return asked(run, settings, messages, prompt, most).or(() -> first);
  }

  private static Optional<String> asked(
      ToolRun run, ModelSettings settings, List<ModelMessage> messages, Prompt prompt, int most) {
    var request =
        new ModelRequest(
            settings.model(),
            settings.temperature(),
            settings.maxTokens(),
            List.copyOf(messages),
            List.of(),
            false,
            null);
    return run.model()
        .ask(request, prompt)
        .flatMap(reply ->
            reply instanceof ModelReply.Says says ? points(says.text(), most) : Optional.empty());
  }

  private static String values(ToolRun run) {
    var values = JsonNodeFactory.instance.objectNode();
    run.flow()
        .profile()
        .forEach(field -> values.set(field.name(), ReadData.value(run.copy().profile(), field)));
    return values.toString();
  }

  /** Returns what both said, one line for each text; instructions and tool calls are left out. */
  private static String said(List<ModelMessage> conversation) {
    return conversation.stream()
        .map(message ->
            switch (message) {
              case UserText user -> "Participant: " + Words.cleaned(user.content());
              case AssistantText assistant when assistant.content() != null ->
                  "Assistant: " + Words.cleaned(assistant.content());
              default -> "";
            })
        .filter(line -> !line.isEmpty())
        .collect(Collectors.joining("\n"));
  }

  /**
   * Returns the reply's points, or the whole reply if it has none; empty if it cannot be stored.
   */
  private static Optional<String> points(String answer, int most) {
    var lines =
        answer
            .lines()
            .map(Words::cleaned)
            .filter(line -> !line.isEmpty())
            .map(line -> line.replaceFirst("^[*•–] ", POINT))
            .toList();
    var points = lines.stream().filter(line -> line.startsWith(POINT)).toList();
    var text = String.join("\n", points.isEmpty() ? lines : points.stream().limit(MOST).toList());
    var raw = text.startsWith("{") || text.startsWith("[") || text.startsWith("<");
    return text.isEmpty() || raw || Words.length(text) > most
        ? Optional.empty()
        : Optional.of(text);
  }
}
