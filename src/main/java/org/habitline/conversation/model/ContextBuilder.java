package org.habitline.conversation.model;

import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.habitline.conversation.stored.Asked;
import org.habitline.conversation.stored.Asked.Elsewhere;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.NoContext;
import org.habitline.conversation.stored.PromptTexts;
import org.habitline.conversation.stored.SharedContents;
import org.habitline.conversation.stored.SharedContents.Kind;
import org.habitline.conversation.stored.WorkingCopies;
import org.habitline.flows.BrokenFlow;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.flows.FlowModule;
import org.habitline.flows.Prompt;
import org.habitline.flows.Prompts;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelMessage.SystemText;
import org.habitline.llm.Section;
import org.habitline.llm.TokenBudget;
import org.habitline.llm.ToolSpec;
import org.habitline.messaging.inbox.Input;
import org.habitline.tools.OutsideTools;
import org.habitline.tools.Profile;
import org.habitline.tools.ProfileJson;
import org.habitline.tools.TonePolicy;
import org.habitline.tools.ToolCatalog;
import org.habitline.tools.UnreadableProfile;
import org.habitline.tools.WorkingCopy;

/**
 * Builds what the model sees, in the order that seed 000 fixes: the system messages (prompt,
 * background, status, tone, event), the history, and last the new texts, each once and verbatim.
 */
@Singleton
public final class ContextBuilder {

  private static final String JOINED = "The participant has just joined and expects a greeting.";

  private final FlowCatalog flows;
  private final PromptTexts promptTexts;
  private final SharedContents contents;
  private final ToolCatalog tools;
  private final WorkingCopies copies;
  private final OutsideTools outside;
  private final TokenBudget budget;
  private final ChatSettings chat;
  private final ReplySettings replies;
  private final HistoryLoader history;

  ContextBuilder(
      FlowCatalog flows,
      PromptTexts promptTexts,
      SharedContents contents,
      ToolCatalog tools,
      WorkingCopies copies,
      OutsideTools outside,
      TokenBudget budget,
      ChatSettings chat,
      ReplySettings replies,
      HistoryLoader history) {
    this.flows = flows;
    this.promptTexts = promptTexts;
    this.contents = contents;
    this.tools = tools;
    this.copies = copies;
    this.outside = outside;
    this.budget = budget;
    this.chat = chat;
    this.replies = replies;
    this.history = history;
  }

  /**
   * Builds the context of a claimed turn.
   *
   * @throws NoContext if the flow, its prompt or the stored profile cannot be used
   */
  public TurnContext build(Claim claim) {
    return build(claim, copy -> copy, Optional.empty());
  }

  /**
   * Builds the context of a claimed turn.
   *
   * @param before changes to make before the model is asked
   * @param hint an instruction for the model that is not part of the conversation
   * @throws NoContext if the flow, its prompt or the stored profile cannot be used
   */
  public TurnContext build(Claim claim, UnaryOperator<WorkingCopy> before, Optional<String> hint) {
    try {
      return context(claim, before, hint);
    } catch (BrokenFlow | UnreadableProfile e) {
      throw new NoContext(e.getMessage());
    }
  }

  private List<ToolSpec> offered(Claim claim, Flow flow, FlowModule module, WorkingCopy copy) {
    return Stream.concat(
            tools.offered(flow, module, copy, !claim.said().isEmpty()).stream(),
            outside.offered(module).stream())
        .toList();
  }

  private TurnContext context(
      Claim claim, UnaryOperator<WorkingCopy> before, Optional<String> hint) {
    var flow =
        flows
            .flow(claim.participant().flow(), claim.participant().language())
            .orElseThrow(() ->
                new NoContext("the flow " + claim.participant().flow() + " no longer exists"));
    var module =
        flow.module(claim.pinned().module())
            .orElseGet(() -> flow.modules().get(flow.initialState()));
    var prompts = prompts(claim);
    var copy =
        before.apply(
            copies.of(claim.participant(), module.id(), claim.state(), claim.pinned().instant()));
    var prompt = prompts.prompt(flow, module.prompt());

    var newest = history.newest(claim, Math.max(module.loadLimit(), SameText.LOOKS_BACK));
    var replyBudget = new ReplyBudget(claim.channel(), replies.segmentsAtMost());
    var known =
        claim.participant().contact()
            // Contacts are not enrolled: nothing is known about them, and nothing is to be
            // collected.
            ? List.<SystemText>of()
            : known(claim, flow, module, copy, new StatusMessage.Shown(newest, replyBudget));
    var system = List.<ModelMessage>of(system(claim, prompt, known, hint));
    var messages = new ArrayList<>(system);
    var offered =
        claim.participant().contact() ? List.<ToolSpec>of() : offered(claim, flow, module, copy);
    var news = news(claim);
    var loaded =
        new LoadedContext(
            claim.participant().id(),
            HistoryLoader.history(newest, module.loadLimit()),
            ProfileJson.byModule(flow, copy.profile()),
            claim.pinned().instant());
    var past = budget.fit(offered, system, shown(loaded, chat.limitFor(module)), news);
    messages.addAll(past);
    messages.addAll(news);
    return new TurnContext(
        claim.participant(),
        loaded,
        flow,
        module,
        prompt,
        prompts,
        copy,
        claim.pinned().instant(),
        List.copyOf(messages),
        Elsewhere.of(prompt, system, HistoryLoader.numbers(newest, past.size())),
        offered,
        offered.isEmpty() ? null : contents.keep(Kind.TOOLS, Asked.tools(offered)),
        replyBudget,
        SameText.turns(claim, newest));
  }

  /** Returns the prompts as they were when the turn took its input. */
  public Prompts prompts(Claim claim) {
    return promptTexts.pinned(claim.pinned().prompts());
  }

  /**
   * Returns the profile as it was when the turn took its input.
   *
   * @throws UnreadableProfile if the stored profile cannot be read
   */
  public Profile profile(Claim claim) {
    return copies.profile(claim.state(), claim.pinned().instant());
  }

  private static SystemText system(
      Claim claim, Prompt prompt, List<SystemText> known, Optional<String> hint) {
    var parts = new ArrayList<SystemText>();
    parts.add(new SystemText(prompt.text()));
    parts.addAll(known);
    if (claim.inputs().stream().anyMatch(Input.Enrolled.class::isInstance)) {
      parts.add(Section.EVENT.holding(JOINED));
    }
    hint.map(Section.EVENT::holding).ifPresent(parts::add);
    return Section.joined(parts);
  }

  private static List<SystemText> known(
      Claim claim, Flow flow, FlowModule module, WorkingCopy copy, StatusMessage.Shown shown) {
    var parts = new ArrayList<SystemText>();
    var background = claim.participant().backgroundText();
    if (!background.isEmpty()) {
      parts.add(Section.BACKGROUND.holding(background));
    }
    parts.add(Section.STATUS.holding(StatusMessage.of(claim, flow, module, copy, shown)));
    if (flow.tone()) {
      TonePolicy.message(copy.profile().tone()).map(Section.TONE::holding).ifPresent(parts::add);
    }
    return parts;
  }

  private static List<ModelMessage> shown(LoadedContext loaded, int most) {
    return loaded.newest(most).stream()
        .map(message -> message.role().shown(message.content()))
        .toList();
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
        case Input.Enrolled enrolled -> {}
        case Input.StaffAsked asked -> {}
        case Input.Woke woke -> {}
      }
    }
    return messages;
  }
}
