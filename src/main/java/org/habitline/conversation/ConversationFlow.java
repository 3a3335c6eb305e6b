package org.habitline.conversation;

import dev.failsafe.Failsafe;
import dev.failsafe.RetryPolicy;
import io.micronaut.transaction.TransactionOperations;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.habitline.conversation.Turns.Closing;
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
import org.habitline.tools.Effect;
import org.habitline.tools.ToolCatalog;
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

  /** A turn that took the process down this often is closed without being tried again. */
  static final int CRASHES_AT_MOST = 3;

  private final Turns turns;
  private final ContextBuilder contexts;
  private final FlowCatalog flows;
  private final LanguageModel model;
  private final ToolCatalog tools;
  private final JdbcIterations iterations;
  private final Leases leases;
  private final TransactionOperations<Connection> transactions;
  private final TurnSettings settings;
  private final Clock clock;
  private final RetryPolicy<Object> untilCommitted =
      RetryPolicy.builder()
          .handleIf(failure -> !(failure instanceof LeaseLost))
          .withBackoff(Duration.ofMillis(100), Duration.ofSeconds(5))
          .withMaxRetries(-1)
          .withMaxDuration(Duration.ofSeconds(25))
          .build();

  ConversationFlow(
      Turns turns,
      ContextBuilder contexts,
      FlowCatalog flows,
      LanguageModel model,
      ToolCatalog tools,
      JdbcIterations iterations,
      Leases leases,
      TransactionOperations<Connection> transactions,
      TurnSettings settings,
      Clock clock) {
    this.turns = turns;
    this.contexts = contexts;
    this.flows = flows;
    this.model = model;
    this.tools = tools;
    this.iterations = iterations;
    this.leases = leases;
    this.transactions = transactions;
    this.settings = settings;
    this.clock = clock;
  }

  @Override
  public Handled handle(String participantId) {
    return switch (turns.take(participantId)) {
      case Turns.Taken.Nothing nothing -> new Handled.Nothing();
      case Turns.Taken.Gathering gathering -> new Handled.NotYet(gathering.pause());
      case Turns.Taken.Claimed claimed -> handle(claimed.claim());
    };
  }

  private Handled handle(Claim claim) {
    var settled = false;
    leases.working(claim.lease());
    try {
      var closing = answer(claim);
      Failsafe.with(untilCommitted).run(() -> turns.commit(closing));
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
    } finally {
      leases.resting(claim.lease());
      if (!settled) {
        giveBack(claim);
      }
    }
  }

  private void giveBack(Claim claim) {
    try {
      turns.giveBack(claim);
    } catch (RuntimeException e) {
      log.warn(
          "turn {} of {} keeps its lease until it runs out: {}",
          claim.turn(),
          claim.participant().id(),
          e.getClass().getName());
    }
  }

  private Closing answer(Claim claim) {
    var texts = flows.flow(claim.participant().flow()).orElseGet(flows::defaultFlow).texts();
    var first = textsOfTheLine(claim, texts);
    var journal = new Journal(claim, iterations, leases, transactions);
    var silence = whyNotTheCoach(claim);
    if (silence.isPresent()) {
      journal.abandon(clock.instant());
      return new Closing(
          claim, Outcome.NOT_FOR_THE_COACH, silence.get(), List.of(), first, journal);
    }
    if (claim.attempt() > CRASHES_AT_MOST) {
      return crashed(claim, texts, first, journal);
    }
    return coach(claim, texts, first, journal);
  }

  private Closing coach(Claim claim, FlowTexts texts, List<Say> first, Journal journal) {
    TurnContext context;
    try {
      context = contexts.build(claim);
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
          journal);
    }
    var result = loop(context, journal, Deadline.in(settings.deadline())).run();
    var says = new ArrayList<>(first);
    says.add(Say.reply(result.text() == null ? fallbackText(claim, texts) : result.text()));
    return new Closing(claim, result.outcome(), result.reason(), result.effects(), says, journal);
  }

  /**
   * The turn is not tried again. What its finished iterations asked for holds: the model was told
   * that it worked.
   */
  private Closing crashed(Claim claim, FlowTexts texts, List<Say> first, Journal journal) {
    var effects = new ArrayList<Effect>();
    try {
      effects.addAll(
          loop(contexts.build(claim), journal, Deadline.in(Duration.ZERO)).effectsOfFinished());
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
            journal);
    return new Closing(
        claim, closing.outcome(), closing.reason(), effects, closing.texts(), journal);
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
      Journal journal) {
    journal.abandon(clock.instant());
    var says = new ArrayList<>(first);
    says.add(Say.reply(fallbackText(claim, texts)));
    return new Closing(claim, outcome, reason, List.of(), says, journal);
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
