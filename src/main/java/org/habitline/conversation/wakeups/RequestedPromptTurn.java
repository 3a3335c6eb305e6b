package org.habitline.conversation.wakeups;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.habitline.conversation.model.ContextBuilder;
import org.habitline.conversation.model.Journal;
import org.habitline.conversation.model.JournaledModel;
import org.habitline.conversation.model.TurnModel;
import org.habitline.conversation.requests.GenAiWriter;
import org.habitline.conversation.requests.OpenBranch;
import org.habitline.conversation.requests.RequestedPrompt;
import org.habitline.conversation.requests.RequestedPrompts;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.NoContext;
import org.habitline.conversation.stored.Outcome;
import org.habitline.conversation.stored.StateKeys;
import org.habitline.conversation.turn.Closing;
import org.habitline.conversation.turn.DraftMessage;
import org.habitline.conversation.turn.WakeupAction;
import org.habitline.flows.BrokenFlow;
import org.habitline.flows.Flow;
import org.habitline.llm.ModelFailure;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.inbox.Input;
import org.habitline.participants.Participant;
import org.habitline.timers.WakeupKind;
import org.habitline.tools.Effect;
import org.habitline.tools.HabitPromptWriter;
import org.habitline.tools.Profile;
import org.habitline.tools.UnreadableProfile;
import org.jspecify.annotations.Nullable;

/**
 * Sends a prompt that a script requested, at once or by a schedule. If it cannot be written,
 * nothing is sent instead: the participant is not waiting for it.
 */
@Singleton
public final class RequestedPromptTurn implements WakeupTurn {

  private static final String GONE = "the request was cancelled";

  private final RequestedPrompts scripts;
  private final WakeupGuards guards;
  private final ContextBuilder contexts;
  private final GenAiWriter genAi;
  private final HabitPromptWriter habitPrompts;
  private final TurnModel model;
  private final Clock clock;

  RequestedPromptTurn(
      RequestedPrompts scripts,
      WakeupGuards guards,
      ContextBuilder contexts,
      GenAiWriter genAi,
      HabitPromptWriter habitPrompts,
      TurnModel model,
      Clock clock) {
    this.scripts = scripts;
    this.guards = guards;
    this.contexts = contexts;
    this.genAi = genAi;
    this.habitPrompts = habitPrompts;
    this.model = model;
    this.clock = clock;
  }

  /** Returns the result of the turn of a prompt that was requested at once. */
  public Closing asked(
      Claim claim, Flow flow, Input.StaffAsked asked, Journal journal, boolean crashed) {
    return scripts
        .asked(asked.requestId())
        .map(wanted -> close(claim, flow, wanted, guards.whySkipped(asked), journal, crashed))
        .orElseGet(() -> gone(claim, journal));
  }

  @Override
  public Set<WakeupKind> kinds() {
    return Set.of(WakeupKind.SCRIPTED);
  }

  /** Returns true: scripts can read why a requested prompt was not sent. */
  @Override
  public boolean recordsWhyNothingWasSent() {
    return true;
  }

  /** Returns the result of the turn of a scheduled prompt that is due. */
  @Override
  public Closing close(DueWakeup due) {
    var wakeup = due.wakeup();
    return scripts
        .rang(wakeup.guard(), wakeup.dueAt())
        .map(wanted ->
            close(
                due.claim(),
                due.flow(),
                wanted,
                guards.whyTooLate(wakeup),
                due.journal(),
                due.crashed()))
        .orElseGet(() -> gone(due.claim(), due.journal()));
  }

  private static Closing gone(Claim claim, Journal journal) {
    return Closing.woke(
        claim, Outcome.DROPPED, GONE, List.of(), List.of(), WakeupAction.NONE, journal);
  }

  private Closing close(
      Claim claim,
      Flow flow,
      RequestedPrompts.Wanted wanted,
      Optional<String> tooLate,
      Journal journal,
      boolean crashed) {
    var not =
        WakeupGuards.whyNotTexted(claim.participant())
            .or(() -> unconsented(claim.participant(), wanted.prompt()))
            .or(() -> tooLate)
            .or(() -> muted(claim, wanted.prompt()));
    if (crashed) {
      journal.abandon(clock.instant());
    }
    var text =
        not.<Text>map(Text.Unwanted::new)
            .orElseGet(() ->
                affordable(
                    text(
                        new Writing(claim, flow, wanted.errand().by(), journal, crashed),
                        wanted.prompt()),
                    journal));
    return closing(claim, wanted.errand(), text, journal);
  }

  /**
   * Returns why the coach may not write, if staff have taken the conversation over. Other prompts
   * are sent then, because scripts act for staff; none is sent in a crisis.
   */
  private Optional<String> muted(Claim claim, RequestedPrompt prompt) {
    return claim.isInDanger()
            || prompt instanceof RequestedPrompt.Conversation
            || prompt instanceof RequestedPrompt.Custom
        ? claim.state().staff().mutes(clock.instant())
        : Optional.empty();
  }

  /** Returns the text, or why there is none if no model was asked because a budget is used up. */
  private static Text affordable(Text text, Journal journal) {
    var refused = journal.refused();
    return text instanceof Text.Unwritten unwritten && refused.isPresent()
        ? new Text.Unwritten(Outcome.DROPPED, refused.get().reason(), null, unwritten.effects())
        : text;
  }

  /**
   * Returns why nothing is sent without consent. A contact is not asked for it, so they get every
   * prompt for which no model reads what they wrote.
   */
  private Optional<String> unconsented(Participant participant, RequestedPrompt prompt) {
    return participant.contact() && !(prompt instanceof RequestedPrompt.Conversation)
        ? Optional.empty()
        : guards.whyNotCoached(participant);
  }

  /** The message to send, or why none is sent. */
  private sealed interface Text {

    /**
     * @param opens the choice that is open once the message was sent
     */
    record Words(DraftMessage say, List<Effect> effects, @Nullable OpenBranch opens)
        implements Text {
      static Words of(String text, String by) {
        return new Words(DraftMessage.scripted(text, OutboundKind.SCRIPTED, by), List.of(), null);
      }
    }

    /** The prompt may not be sent now. */
    record Unwanted(String reason) implements Text {}

    /**
     * The prompt could not be written.
     *
     * @param failure why the model failed, if it did
     * @param effects what a model asked for before it failed; it was told that these worked
     */
    record Unwritten(
        Outcome outcome, String reason, @Nullable ModelFailure failure, List<Effect> effects)
        implements Text {
      static Unwritten of(Outcome outcome, String reason) {
        return new Unwritten(outcome, reason, null, List.of());
      }
    }
  }

  private Closing closing(Claim claim, RequestedPrompts.Errand errand, Text text, Journal journal) {
    return switch (text) {
      case Text.Words(var say, var effects, var opens) ->
          Closing.woke(
              claim,
              errand.ring() == null ? Outcome.ASKED : Outcome.WOKE,
              null,
              effects,
              List.of(say),
              new Settling(errand, RequestedPrompts.Settled.queued(opens)),
              journal);
      case Text.Unwanted(var reason) ->
          Closing.woke(
              claim,
              Outcome.DROPPED,
              reason,
              List.of(),
              List.of(),
              new Settling(errand, RequestedPrompts.Settled.cancelled(reason)),
              journal);
      case Text.Unwritten(var outcome, var reason, var failure, var effects) ->
          Closing.woke(
                  claim,
                  outcome,
                  reason,
                  effects,
                  List.of(),
                  new Settling(errand, RequestedPrompts.Settled.failed(reason)),
                  journal)
              .because(failure);
    };
  }

  /** Records that the prompt was sent, or why it was not. */
  private final class Settling implements WakeupAction {
    private final RequestedPrompts.Errand errand;
    private final RequestedPrompts.Settled settled;

    Settling(RequestedPrompts.Errand errand, RequestedPrompts.Settled settled) {
      this.errand = errand;
      this.settled = settled;
    }

    @Override
    public boolean carryOut(Claim claim) {
      return true;
    }

    @Override
    public WakeupAction takenOver(String reason) {
      return new Settling(errand, RequestedPrompts.Settled.cancelled(reason));
    }

    @Override
    public Map<String, Optional<String>> data(Claim claim) {
      if (settled.status() != RequestedPrompts.Settled.Status.QUEUED) {
        return Map.of();
      }
      var first = claim.data().getOrDefault(StateKeys.TEXTED_BY_SCRIPT, clock.instant().toString());
      var opens = settled.opens();
      return opens == null
          ? Map.of(StateKeys.TEXTED_BY_SCRIPT, Optional.of(first))
          : Map.of(
              StateKeys.TEXTED_BY_SCRIPT, Optional.of(first),
              StateKeys.OPEN_BRANCH, Optional.of(opens.json()));
    }

    @Override
    public void recorded(Claim claim, @Nullable String messageId) {
      scripts.settle(claim, errand, settled, messageId);
    }
  }

  /** The data needed to write a text. */
  private record Writing(Claim claim, Flow flow, String by, Journal journal, boolean crashed) {}

  /**
   * Writes the text, unless the turn crashed the process several times: then nothing is tried any
   * more.
   */
  private Text text(Writing writing, RequestedPrompt prompt) {
    if (writing.crashed()) {
      return Text.Unwritten.of(Outcome.CRASHED, "its attempts did not finish");
    }
    return switch (prompt) {
      case RequestedPrompt.Static text -> Text.Words.of(text.body(), writing.by());
      case RequestedPrompt.Generated generated -> Text.Words.of(generated.text(), writing.by());
      case RequestedPrompt.Branch branch ->
          new Text.Words(
              DraftMessage.scripted(branch.text(), OutboundKind.SCRIPTED, writing.by()),
              List.of(),
              new OpenBranch(clock.instant().toString(), writing.by(), branch.branchOptions()));
      case RequestedPrompt.GenAi genAiPrompt -> asking(() -> generated(writing, genAiPrompt));
      case RequestedPrompt.Conversation conversation -> asking(() -> spoken(writing, conversation));
      case RequestedPrompt.Custom custom -> asking(() -> personal(writing, custom));
    };
  }

  private static Text asking(Supplier<Text> question) {
    try {
      return question.get();
    } catch (BrokenFlow | UnreadableProfile | NoContext e) {
      return Text.Unwritten.of(Outcome.NO_CONTEXT, new NoContext(e.getMessage()).sentence());
    }
  }

  private Text generated(Writing writing, RequestedPrompt.GenAi prompt) {
    return switch (genAi.write(prompt, asked(writing, Optional.empty()))) {
      case GenAiWriter.Writing.Written written ->
          Text.Words.of(written.prompt().text(), writing.by());
      case GenAiWriter.Writing.Failed failed ->
          Text.Unwritten.of(failed.withheld() ? Outcome.GATED : Outcome.MODEL_FAILED, failed.why());
    };
  }

  private JournaledModel asked(Writing writing, Optional<Profile> profile) {
    return model.once(writing.journal(), writing.claim().participant(), writing.flow(), profile);
  }

  private Text spoken(Writing writing, RequestedPrompt.Conversation prompt) {
    var hint =
        "Staff ask you to write to the participant now. The participant has not sent a new text."
            + " What to say: "
            + prompt.userPrompt();
    var context = contexts.build(writing.claim(), copy -> copy, Optional.of(hint));
    var result = model.loop(context, writing.journal()).run();
    return result.text() == null
        ? new Text.Unwritten(
            result.outcome(),
            Optional.ofNullable(result.reason()).orElse(""),
            result.failure(),
            result.effects())
        : new Text.Words(
            DraftMessage.spoken(result.text(), result.effects()), result.effects(), null);
  }

  private Text personal(Writing writing, RequestedPrompt.Custom prompt) {
    var claim = writing.claim();
    if (claim.participant().contact()) {
      return Text.Unwritten.of(Outcome.NO_CONTEXT, "no participant has this number");
    }
    var profile = contexts.profile(claim);
    return switch (habitPrompts.write(
        writing.flow(),
        contexts.prompts(claim),
        claim.participant(),
        profile,
        new HabitPromptWriter.Occasion.Asked(Optional.ofNullable(prompt.notes())),
        asked(writing, Optional.of(profile)))) {
      case HabitPromptWriter.Writing.Written written ->
          new Text.Words(
              DraftMessage.of(written.text(), OutboundKind.PROMPT_NOW),
              List.of(new Effect.StoreHabitPrompt(written.text())),
              null);
      case HabitPromptWriter.Writing.Incomplete incomplete ->
          Text.Unwritten.of(
              Outcome.NO_CONTEXT, "the profile has no " + String.join(", ", incomplete.missing()));
      case HabitPromptWriter.Writing.Unwritten unwritten ->
          new Text.Unwritten(
              unwritten.withheld() ? Outcome.GATED : Outcome.MODEL_FAILED,
              "the model did not write the prompt: " + unwritten.why(),
              unwritten.failure(),
              List.of());
    };
  }
}
