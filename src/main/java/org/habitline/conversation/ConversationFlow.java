package org.habitline.conversation;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.habitline.conversation.Turns.Closing;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.flows.FlowTexts;
import org.habitline.llm.Deadline;
import org.habitline.llm.LanguageModel;
import org.habitline.messaging.InboundHandler;
import org.habitline.messaging.Input;
import org.habitline.messaging.LeaseLost;
import org.habitline.messaging.Leases;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.Wish;
import org.habitline.participants.ParticipantStatus;
import org.habitline.storage.Database;
import org.habitline.tools.Effect;
import org.habitline.tools.Profile;
import org.habitline.tools.ToolCatalog;
import org.habitline.tools.UnreadableProfile;
import org.habitline.tools.WorkingCopy;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One turn: what waits is claimed, answered, and committed at once. No connection is held while a
 * model is asked. Whatever goes wrong, the participant's texts stay, and someone finds out: a model
 * that fails costs the turn its own words, a crash only time.
 */
@Singleton
public final class ConversationFlow implements InboundHandler {

  private static final Logger log = LoggerFactory.getLogger(ConversationFlow.class);

  private static final String HANDED_BACK =
      "A person of the staff wrote with the participant for a while and has handed the conversation"
          + " back; answer what the participant said last.";

  /** A turn that took the process down this often is closed without being tried again. */
  static final int CRASHES_AT_MOST = 3;

  private final Turns turns;
  private final ContextBuilder contexts;
  private final Wakings wakings;
  private final DailyPromptTurn dailyPrompts;
  private final ScriptedTurn scripted;
  private final FlowCatalog flows;
  private final LanguageModel model;
  private final ToolCatalog tools;
  private final Journals journals;
  private final Leases leases;
  private final TurnSettings settings;
  private final Clock clock;

  ConversationFlow(
      Turns turns,
      ContextBuilder contexts,
      Wakings wakings,
      DailyPromptTurn dailyPrompts,
      ScriptedTurn scripted,
      FlowCatalog flows,
      LanguageModel model,
      ToolCatalog tools,
      Journals journals,
      Leases leases,
      TurnSettings settings,
      Clock clock) {
    this.turns = turns;
    this.contexts = contexts;
    this.wakings = wakings;
    this.dailyPrompts = dailyPrompts;
    this.scripted = scripted;
    this.flows = flows;
    this.model = model;
    this.tools = tools;
    this.journals = journals;
    this.leases = leases;
    this.settings = settings;
    this.clock = clock;
  }

  @Override
  public Handled handle(String participantId) {
    return switch (turns.take(participantId)) {
      case Turns.Taken.Nothing nothing -> new Handled.Nothing();
      case Turns.Taken.Closed closed -> new Handled.Nothing();
      case Turns.Taken.Gathering gathering -> new Handled.NotYet(gathering.pause());
      case Turns.Taken.Claimed claimed -> handle(claimed.claim());
    };
  }

  private Handled handle(Claim claim) {
    var settled = false;
    leases.working(claim.lease());
    try {
      var closing = answer(claim);
      Journals.committing(() -> turns.commit(closing));
      settled = true;
      log.info(
          "turn {} of {} closed: {}",
          claim.turn(),
          claim.participant().id(),
          closing.outcome().word());
      return new Handled.Answered();
    } catch (LeaseLost e) {
      settled = true;
      log.warn(
          "turn {} of {} is not committed: its lease was lost",
          claim.turn(),
          claim.participant().id());
      return new Handled.Nothing();
    } catch (RuntimeException e) {
      settled = true;
      giveBack(claim, Database.isPassing(e));
      throw e;
    } finally {
      leases.resting(claim.lease());
      if (!settled) {
        giveBack(claim, false);
      }
    }
  }

  /**
   * @param handedOver whether nothing was wrong with the turn, so that no crash is counted
   */
  private void giveBack(Claim claim, boolean handedOver) {
    try {
      turns.giveBack(claim, handedOver);
    } catch (RuntimeException e) {
      log.warn(
          "turn {} of {} keeps its lease until it runs out: {}",
          claim.turn(),
          claim.participant().id(),
          e.getClass().getName());
    }
  }

  private Closing answer(Claim claim) {
    var journal = journals.open(claim);
    var flow = flows.flow(claim.participant().flow()).orElseGet(flows::defaultFlow);
    return switch (claim.inputs().getFirst()) {
      case Input.Woke woke -> woken(claim, flow, journal);
      case Input.StaffAsked asked ->
          scripted.asked(claim, flow, asked, journal, claim.attempt() > CRASHES_AT_MOST);
      case Input.Said said when claim.participant().contact() -> contactSaid(claim, journal);
      case Input.Said said -> said(claim, flow, journal);
      case Input.Enrolled enrolled -> said(claim, flow, journal);
    };
  }

  /** Whoever is not enrolled is told what they chose, and nothing else. */
  private Closing contactSaid(Claim claim, Journal journal) {
    var chosen =
        claim.participant().mayBeTexted() ? OpenBranch.chosen(claim) : Optional.<Say>empty();
    return chosen
        .map(say -> chose(claim, List.of(say), QuickReply.none(), journal))
        .orElseGet(() ->
            Closing.of(
                claim,
                Outcome.NOT_FOR_THE_COACH,
                "nothing was asked that this answers any more",
                List.of(),
                List.of(),
                QuickReply.none(),
                journal));
  }

  /** A choice that a script gave is answered before any model is asked. */
  private static Closing chose(Claim claim, List<Say> says, QuickReply reply, Journal journal) {
    return Closing.of(
            claim,
            Outcome.NOT_FOR_THE_COACH,
            "an option of a script's prompt was chosen",
            own(reply),
            says,
            reply,
            journal)
        .with(new Deed.Chosen());
  }

  private Closing said(Claim claim, Flow flow, Journal journal) {
    var texts = flow.texts();
    var first = textsOfTheLine(claim, texts);
    var reply = QuickReply.in(claim, flow, profile(claim));
    var silence = whyNotTheCoach(claim);
    var chosen = silence.isPresent() ? Optional.<Say>empty() : OpenBranch.chosen(claim);
    var says = Stream.concat(first.stream(), chosen.stream()).toList();
    if (chosen.isPresent() && saysNothingElse(claim)) {
      journal.abandon(clock.instant());
      return chose(claim, says, reply, journal);
    }
    // Scripts are staff: a choice that one gave is answered while staff hold the conversation.
    var muted = claim.state().staff().mutes(clock.instant());
    var why = silence.or(() -> muted);
    if (why.isPresent()) {
      journal.abandon(clock.instant());
      var closing =
          Closing.of(
              claim, Outcome.NOT_FOR_THE_COACH, why.get(), own(reply), first, reply, journal);
      return silence.isEmpty() ? closing.leftToStaff() : closing;
    }
    var closing =
        claim.attempt() > CRASHES_AT_MOST
            ? crashed(claim, texts, says, reply, journal)
            : coach(claim, texts, says, reply, journal);
    return chosen.isPresent() ? closing.with(new Deed.Chosen()) : closing;
  }

  /** Whether all that was said to the coach are answers to the choice that is open. */
  private static boolean saysNothingElse(Claim claim) {
    var branch = OpenBranch.in(claim.data()).orElseThrow();
    return claim.said().stream()
        .filter(said -> said.wish() == null)
        .allMatch(said -> branch.choice(said).isPresent());
  }

  /** A profile that cannot be read is told when the context is built. */
  private Optional<Profile> profile(Claim claim) {
    try {
      return Optional.of(contexts.profile(claim));
    } catch (UnreadableProfile e) {
      return Optional.empty();
    }
  }

  private static List<Effect> own(QuickReply reply) {
    return reply.intensity().stream().toList();
  }

  /** A wake-up rang: its guard decides what is done, now that its turn has come. */
  private Closing woken(Claim claim, Flow flow, Journal journal) {
    var wakeup = claim.state().wakeup();
    var crashed = claim.attempt() > CRASHES_AT_MOST;
    var due =
        wakeup == null
            ? new Wakings.Due.Drop("the wake-up is gone", new Deed.Nothing())
            : wakings.look(claim, flow, wakeup);
    if (crashed) {
      journal.abandon(clock.instant());
    }
    return switch (due) {
      case Wakings.Due.Drop drop ->
          Closing.woke(
              claim, Outcome.DROPPED, drop.reason(), List.of(), List.of(), drop.deed(), journal);
      case Wakings.Due.Prompt prompt ->
          dailyPrompts.close(
              claim, flow, prompt, journal, Deadline.in(settings.deadline()), crashed);
      case Wakings.Due.Scripted rang -> scripted.rang(claim, flow, rang.wakeup(), journal, crashed);
      case Wakings.Due.Remind remind ->
          Closing.woke(
              claim,
              Outcome.WOKE,
              null,
              List.of(),
              List.of(Say.of(remind.text(), OutboundKind.REMINDER)),
              new Deed.Reminded(remind.key()),
              journal);
      case Wakings.Due.Move move ->
          Closing.woke(
              claim,
              Outcome.WOKE,
              move.reason(),
              List.of(),
              List.of(),
              new Deed.Moved(move.to()),
              journal);
      case Wakings.Due.AskHow askHow ->
          speak(
              claim,
              new Speech(
                  askHow.hint(),
                  askHow.text(),
                  OutboundKind.CHECK_IN,
                  new Deed.CheckedIn(askHow.feedbackState())),
              journal,
              crashed);
      case Wakings.Due.TakeUp takeUp ->
          speak(
              claim,
              new Speech(
                  HANDED_BACK,
                  flow.texts().errorFallback(),
                  OutboundKind.REPLY,
                  new Deed.Nothing()),
              journal,
              crashed);
    };
  }

  /**
   * What the model is to say without having been spoken to.
   *
   * @param hint what it is told
   * @param text what the flow says if it cannot
   */
  private record Speech(String hint, String text, OutboundKind kind, Deed deed) {}

  /** The model speaks; if it cannot, the flow does. */
  private Closing speak(Claim claim, Speech speech, Journal journal, boolean crashed) {
    var deed = speech.deed();
    var own = List.of(Say.of(speech.text(), speech.kind()));
    if (crashed) {
      return Closing.woke(
          claim,
          Outcome.CRASHED,
          CRASHES_AT_MOST + " attempts did not end",
          List.of(),
          own,
          deed,
          journal);
    }
    try {
      var context = contexts.build(claim, copy -> copy, Optional.of(speech.hint()));
      var result = loop(context, journal, Deadline.in(settings.deadline())).run();
      return Closing.woke(
              claim,
              result.text() == null ? result.outcome() : Outcome.WOKE,
              result.reason(),
              result.effects(),
              result.text() == null ? own : List.of(Say.of(result.text(), speech.kind())),
              deed,
              journal)
          .because(result.failure());
    } catch (NoContext e) {
      journal.abandon(clock.instant());
      return Closing.woke(
          claim,
          Outcome.NO_CONTEXT,
          "the context could not be built: " + e.getMessage(),
          List.of(),
          own,
          deed,
          journal);
    }
  }

  private Closing coach(
      Claim claim, FlowTexts texts, List<Say> first, QuickReply reply, Journal journal) {
    TurnContext context;
    try {
      context = contexts.build(claim, copy -> after(copy, reply), Optional.empty());
    } catch (NoContext e) {
      log.warn(
          "turn {} of {} has no context and gets the flow's own text: {}",
          claim.turn(),
          claim.participant().id(),
          e.getMessage());
      return fallback(
          claim,
          texts,
          first,
          Outcome.NO_CONTEXT,
          "the context could not be built: " + e.getMessage(),
          reply,
          journal);
    }
    if (context.sameText() >= SameText.TURNS_AT_MOST && !reply.isTheFirst()) {
      return braked(claim, context.sameText(), first, reply, journal);
    }
    var result = loop(context, journal, Deadline.in(settings.deadline())).run();
    var says = new ArrayList<>(first);
    says.add(
        result.text() == null
            ? Say.reply(fallbackText(claim, texts))
            : Say.of(result.text(), kind(result.effects())));
    return Closing.of(
            claim,
            result.outcome(),
            result.reason(),
            with(own(reply), result.effects()),
            says,
            reply,
            journal)
        .because(result.failure());
  }

  /** What the texts mean by themselves holds; nothing is said to them. */
  private Closing braked(
      Claim claim, int sameText, List<Say> first, QuickReply reply, Journal journal) {
    journal.abandon(clock.instant());
    return Closing.of(
        claim,
        Outcome.BRAKED,
        "the same text "
            + sameText
            + " times in a row within "
            + SameText.WITHIN.toMinutes()
            + " minutes; nothing is answered until another one comes",
        own(reply),
        first,
        reply,
        journal);
  }

  /** An answer that holds a prompt to be tried now is asked about later. */
  static OutboundKind kind(List<Effect> effects) {
    return effects.stream().anyMatch(Effect.StoreHabitPrompt.class::isInstance)
        ? OutboundKind.PROMPT_NOW
        : OutboundKind.REPLY;
  }

  private static WorkingCopy after(WorkingCopy copy, QuickReply reply) {
    return reply.intensity().map(copy::with).orElse(copy);
  }

  private static List<Effect> with(List<Effect> first, List<Effect> then) {
    return Stream.concat(first.stream(), then.stream()).toList();
  }

  /**
   * The turn is not tried again. What its finished iterations asked for holds: the model was told
   * that it worked.
   */
  private Closing crashed(
      Claim claim, FlowTexts texts, List<Say> first, QuickReply reply, Journal journal) {
    var effects = new ArrayList<>(own(reply));
    try {
      effects.addAll(
          loop(
                  contexts.build(claim, copy -> after(copy, reply), Optional.empty()),
                  journal,
                  Deadline.in(Duration.ZERO))
              .effectsOfFinished());
    } catch (NoContext e) {
      log.warn(
          "turn {} of {} crashed and has no context; what it asked for is lost",
          claim.turn(),
          claim.participant().id());
    }
    var closing =
        fallback(
            claim,
            texts,
            first,
            Outcome.CRASHED,
            CRASHES_AT_MOST + " attempts did not end",
            reply,
            journal);
    return Closing.of(
        claim, closing.outcome(), closing.reason(), effects, closing.texts(), reply, journal);
  }

  private ToolLoop loop(TurnContext context, Journal journal, Deadline deadline) {
    return new ToolLoop(context, journal, model, tools, deadline, clock);
  }

  private Closing fallback(
      Claim claim,
      FlowTexts texts,
      List<Say> first,
      Outcome outcome,
      String reason,
      QuickReply reply,
      Journal journal) {
    journal.abandon(clock.instant());
    var says = new ArrayList<>(first);
    says.add(Say.reply(fallbackText(claim, texts)));
    return Closing.of(claim, outcome, reason, own(reply), says, reply, journal);
  }

  private static String fallbackText(Claim claim, FlowTexts texts) {
    return claim.inputs().getFirst() instanceof Input.Enrolled
        ? texts.greetingFallback()
        : texts.errorFallback();
  }

  /**
   * What the line says itself: the help text, the confirmation of a revocation, the status text.
   */
  private static List<Say> textsOfTheLine(Claim claim, FlowTexts texts) {
    var says = new ArrayList<Say>();
    if (asks(claim, Wish.HELP)) {
      says.add(Say.of(texts.help(), OutboundKind.HELP));
    }
    if (asks(claim, Wish.REVOKE) && claim.participant().optedOut()) {
      says.add(Say.of(texts.optOutConfirmation(), OutboundKind.CONFIRMATION));
    }
    var status = claim.participant().status();
    var text = statusText(status, texts);
    if (text != null
        && !claim.participant().optedOut()
        && !status.word().equals(claim.data().get(StateKeys.STATUS_TEXT_SENT))) {
      says.add(Say.status(text, status));
    }
    return says;
  }

  private static @Nullable String statusText(ParticipantStatus status, FlowTexts texts) {
    return switch (status) {
      case PAUSED -> texts.paused();
      case COMPLETED -> texts.completed();
      case ACTIVE, WITHDRAWN -> null;
    };
  }

  /** Why no model is asked, if none is. */
  private static Optional<String> whyNotTheCoach(Claim claim) {
    if (claim.participant().optedOut()) {
      return Optional.of("the participant opted out");
    }
    if (claim.participant().status() != ParticipantStatus.ACTIVE) {
      return Optional.of("the participant is " + claim.participant().status().word());
    }
    var forTheCoach =
        claim.inputs().stream()
            .anyMatch(input -> !(input instanceof Input.Said said) || said.wish() == null);
    return forTheCoach ? Optional.empty() : Optional.of("nothing was said to the coach");
  }

  private static boolean asks(Claim claim, Wish wish) {
    return claim.inputs().stream()
        .anyMatch(input -> input instanceof Input.Said said && said.wish() == wish);
  }
}
