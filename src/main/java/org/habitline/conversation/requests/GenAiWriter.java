package org.habitline.conversation.requests;

import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import org.habitline.Hashes;
import org.habitline.budgets.Spending;
import org.habitline.conversation.model.CallCosts;
import org.habitline.conversation.model.ToolLoop;
import org.habitline.conversation.model.TurnSettings;
import org.habitline.flows.Prompt;
import org.habitline.llm.Deadline;
import org.habitline.llm.LanguageModel;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.messaging.inbox.PlainText;
import org.habitline.safety.gates.Candidate;
import org.habitline.safety.gates.Done;
import org.habitline.safety.gates.ReplyGates;
import org.habitline.safety.gates.Shown;
import org.habitline.safety.gates.Verdict;
import org.habitline.tools.NestedModel;

/**
 * Asks a model, once, to write a message from a script's own prompts. Stores nothing. Safe for any
 * number of threads.
 */
@Singleton
public final class GenAiWriter {

  /** Longest message that is sent, in characters; the limit for a script's own text too. */
  public static final int LONGEST = 4096;

  /** Recorded in place of a prompt file, which these prompts do not have. */
  private static final String NO_FILE = "prompt API";

  private final LanguageModel model;
  private final ReplyGates gates;
  private final TurnSettings settings;
  private final CallCosts costs;
  private final Spending spending;

  GenAiWriter(
      LanguageModel model,
      ReplyGates gates,
      TurnSettings settings,
      CallCosts costs,
      Spending spending) {
    this.model = model;
    this.gates = gates;
    this.settings = settings;
    this.costs = costs;
    this.spending = spending;
  }

  /** The result of writing. */
  public sealed interface Writing {

    record Written(RequestedPrompt.Generated prompt) implements Writing {}

    /**
     * The model wrote nothing that can be sent.
     *
     * @param why the reason for staff, without any participant's text
     * @param withheld whether a gate withheld what the model wrote
     */
    record Failed(String why, boolean withheld) implements Writing {
      Failed(String why) {
        this(why, false);
      }
    }
  }

  /**
   * Asks the model now; blocks at most as long as a turn's deadline. The caller must not hold a
   * transaction.
   */
  public Writing write(RequestedPrompt.GenAi prompt) {
    var usedUp = spending.studyUsedUp();
    return usedUp.isPresent()
        ? new Writing.Failed(usedUp.get().reason())
        : write(prompt, (request, text) -> gated(request, text, paid(request)));
  }

  /** Asks for nobody in particular: only the study's budget counts it. */
  private ModelReply paid(ModelRequest request) {
    var reply = model.answer(request, Deadline.in(settings.deadline()));
    spending.addToStudy(costs.of(request, reply));
    return reply;
  }

  /** Checks a text that nobody was asked to send yet: without a retry, and unrecorded. */
  private Optional<ModelReply> gated(ModelRequest request, Prompt prompt, ModelReply reply) {
    if (!(reply instanceof ModelReply.Says says)) {
      return Optional.of(reply);
    }
    var prompts = request.messages().stream().map(GenAiWriter::content).toList();
    var shown =
        new Shown(
            prompts, List.of(prompt.text()), List.of(), prompts, Shown.NO_REGION, Shown.ENGLISH);
    return gates.check(new Candidate(says.text(), shown, Done.NOTHING)) instanceof Verdict.Pass
        ? Optional.of(reply)
        : Optional.empty();
  }

  private static String content(ModelMessage message) {
    return switch (message) {
      case ModelMessage.SystemText(var content) -> content;
      case ModelMessage.UserText(var content) -> content;
      case ModelMessage.AssistantText assistant -> "";
      case ModelMessage.ToolResult result -> "";
    };
  }

  public Writing write(RequestedPrompt.GenAi prompt, NestedModel asked) {
    var request =
        new ModelRequest(
            null,
            null,
            null,
            List.of(
                new ModelMessage.SystemText(prompt.systemPrompt()),
                new ModelMessage.UserText(prompt.userPrompt())),
            List.of(),
            false,
            null);
    return asked
        .ask(request, text(prompt.systemPrompt()))
        .map(GenAiWriter::written)
        .orElseGet(() -> new Writing.Failed("a gate withheld the model's answer", true));
  }

  private static Writing written(ModelReply reply) {
    return switch (reply) {
      case ModelReply.Says says -> written(PlainText.storable(says.text()).strip());
      case ModelReply.CallsTools calls -> new Writing.Failed("the model gave no text");
      case ModelReply.CutOff cut -> new Writing.Failed("the model's answer was cut off");
      case ModelReply.Refused refused -> new Writing.Failed("the model declined");
      case ModelReply.Failed failed -> new Writing.Failed(failed.reason());
    };
  }

  private static Prompt text(String text) {
    return new Prompt(NO_FILE, text, Hashes.sha256(text), text, false);
  }

  private static Writing written(String text) {
    if (text.length() > LONGEST) {
      return new Writing.Failed("the model's answer was longer than " + LONGEST + " characters");
    }
    return !ToolLoop.sendable(text)
        ? new Writing.Failed("the model's answer was empty, or was data instead of text")
        : new Writing.Written(new RequestedPrompt.Generated(text));
  }
}
