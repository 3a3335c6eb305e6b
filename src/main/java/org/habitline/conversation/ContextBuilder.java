package org.habitline.conversation;

import io.micronaut.transaction.TransactionOperations;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.habitline.flows.BrokenFlow;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.flows.FlowModule;
import org.habitline.flows.Prompts;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.TokenBudget;
import org.habitline.messaging.Input;
import org.habitline.tools.Profile;
import org.habitline.tools.ProfileJson;
import org.habitline.tools.TonePolicy;
import org.habitline.tools.ToolCatalog;
import org.habitline.tools.UnreadableProfile;
import org.habitline.tools.WorkingCopy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds what the model is shown, in the order that seed 000 fixes: system messages (prompt,
 * background, status, tone), history, and the new texts last, each once and verbatim.
 */
@Singleton
final class ContextBuilder {

  private static final Logger log = LoggerFactory.getLogger(ContextBuilder.class);
  private static final String JOINED = "<the participant has just joined and expects a greeting>";

  private final FlowCatalog flows;
  private final PromptTexts promptTexts;
  private final ToolCatalog tools;
  private final ProfileJson profiles;
  private final TokenBudget budget;
  private final ChatSettings chat;
  private final JdbcTranscript transcript;
  private final TransactionOperations<Connection> transactions;

  ContextBuilder(
      FlowCatalog flows,
      PromptTexts promptTexts,
      ToolCatalog tools,
      ProfileJson profiles,
      TokenBudget budget,
      ChatSettings chat,
      JdbcTranscript transcript,
      TransactionOperations<Connection> transactions) {
    this.flows = flows;
    this.promptTexts = promptTexts;
    this.tools = tools;
    this.profiles = profiles;
    this.budget = budget;
    this.chat = chat;
    this.transcript = transcript;
    this.transactions = transactions;
  }

  /**
   * Builds the context of a claimed turn.
   *
   * @throws NoContext if the flow, its prompt or the stored profile cannot be used
   */
  TurnContext build(Claim claim) {
    try {
      return context(claim);
    } catch (BrokenFlow | UnreadableProfile e) {
      throw new NoContext(e.getMessage());
    }
  }

  private TurnContext context(Claim claim) {
    var flow =
        flows
            .flow(claim.participant().flow())
            .orElseThrow(
                () -> new NoContext("the flow " + claim.participant().flow() + " is gone"));
    var module =
        flow.module(claim.pinned().module())
            .orElseGet(() -> flow.modules().get(flow.initialState()));
    var prompts = promptTexts.pinned(claim.pinned().prompts());
    var copy = workingCopy(claim, module);
    var prompt = prompts.prompt(flow, module.prompt());

    var system = system(claim, flow, module, prompts, copy);
    var messages = new ArrayList<>(system);
    var offered = tools.offered(flow, module);
    messages.addAll(budget.fit(offered, system, history(claim, module), news(claim)));
    messages.addAll(news(claim));
    return new TurnContext(
        claim.participant(),
        flow,
        module,
        prompt,
        prompts,
        copy,
        claim.pinned().instant(),
        List.copyOf(messages),
        offered);
  }

  private WorkingCopy workingCopy(Claim claim, FlowModule module) {
    var stored = claim.data().get(StateKeys.USER_PROFILE);
    Profile profile =
        stored == null ? profiles.empty(claim.pinned().instant()) : profiles.read(stored);
    return new WorkingCopy(
        module.id(), null, profile, claim.data().get(StateKeys.LAST_HABIT_PROMPT));
  }

  private List<ModelMessage> system(
      Claim claim, Flow flow, FlowModule module, Prompts prompts, WorkingCopy copy) {
    var messages = new ArrayList<ModelMessage>();
    messages.add(new ModelMessage.SystemText(prompts.prompt(flow, module.prompt()).text()));
    var background = claim.participant().backgroundText();
    if (!background.isEmpty()) {
      messages.add(new ModelMessage.SystemText(background));
    }
    messages.add(
        new ModelMessage.SystemText(
            StatusMessage.of(claim.participant(), flow, module, copy, claim.pinned().instant())));
    TonePolicy.message(copy.profile().tone())
        .ifPresent(policy -> messages.add(new ModelMessage.SystemText(policy)));
    return List.copyOf(messages);
  }

  /** A history that cannot be read is an empty one: the participant is answered all the same. */
  private List<ModelMessage> history(Claim claim, FlowModule module) {
    var limit = Math.min(module.loadLimit(), chat.limitFor(module));
    if (limit == 0) {
      return List.of();
    }
    try {
      var rows =
          transactions.executeRead(
              status -> transcript.newest(claim.participant().id(), Long.MAX_VALUE, limit));
      var messages = new ArrayList<ModelMessage>();
      for (var row : rows) {
        shown(row).ifPresent(messages::add);
      }
      Collections.reverse(messages);
      return messages;
    } catch (RuntimeException e) {
      log.warn(
          "The history of {} cannot be read; turn {} goes on without it: {}",
          claim.participant().id(),
          claim.turn(),
          e.getClass().getName());
      return List.of();
    }
  }

  private static Optional<ModelMessage> shown(JdbcTranscript.Row row) {
    return switch (row.role()) {
      case "user" -> Optional.of(new ModelMessage.UserText(row.content()));
      case "assistant" -> Optional.of(new ModelMessage.AssistantText(row.content(), List.of()));
      default -> {
        log.warn("Message {} has no role a model knows and is left out of the history", row.id());
        yield Optional.empty();
      }
    };
  }

  private static List<ModelMessage> news(Claim claim) {
    var messages = new ArrayList<ModelMessage>();
    for (var input : claim.inputs()) {
      switch (input) {
        case Input.Said said -> {
          if (said.wish() == null) {
            messages.add(new ModelMessage.UserText(said.text()));
          }
        }
        case Input.Enrolled enrolled -> messages.add(new ModelMessage.UserText(JOINED));
      }
    }
    return messages;
  }
}
