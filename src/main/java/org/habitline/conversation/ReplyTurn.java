package org.habitline.conversation;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.habitline.conversation.model.ContextBuilder;
import org.habitline.conversation.model.Journal;
import org.habitline.conversation.model.TurnContext;
import org.habitline.conversation.model.TurnModel;
import org.habitline.conversation.requests.OpenBranch;
import org.habitline.conversation.rules.BeforeTheCoach;
import org.habitline.conversation.rules.BudgetRule;
import org.habitline.conversation.rules.Heard;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.NoContext;
import org.habitline.conversation.stored.Outcome;
import org.habitline.conversation.turn.Closing;
import org.habitline.conversation.turn.DraftMessage;
import org.habitline.conversation.turn.QuickReply;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowTexts;
import org.habitline.messaging.ConsentGate;
import org.habitline.messaging.Restored;
import org.habitline.messaging.inbox.ConsentKeyword;
import org.habitline.messaging.inbox.Input;
import org.habitline.messaging.outbox.CoachingPause;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.protocol.OutcomeWords;
import org.habitline.storage.Database;
import org.habitline.tools.Effect;
import org.habitline.tools.Profile;
import org.habitline.tools.UnreadableProfile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides the turn of texts or of an enrolment: the rules that come before the coach, then the
 * coach, and the flow's fallback message if the model cannot reply.
 */
@Singleton
final class ReplyTurn {

  private static final Logger log = LoggerFactory.getLogger(ReplyTurn.class);

  private final List<BeforeTheCoach> rules;
  private final OutcomeWords outcomes;
  private final Outbox outbox;
  private final ConsentGate consents;
  private final ContextBuilder contexts;
  private final TurnModel model;
  private final BudgetRule budget;
  private final SecondLook secondLook;
  private final Restored restored;
  private final Clock clock;

  ReplyTurn(
      List<BeforeTheCoach> rules,
      OutcomeWords outcomes,
      Outbox outbox,
      ConsentGate consents,
      ContextBuilder contexts,
      TurnModel model,
      BudgetRule budget,
      SecondLook secondLook,
      Restored restored,
      Clock clock) {
    this.outcomes = outcomes;
    this.outbox = outbox;
    this.consents = consents;
    this.rules = rules.stream().sorted(Comparator.comparing(BeforeTheCoach::place)).toList();
    this.contexts = contexts;
    this.model = model;
    this.budget = budget;
    this.secondLook = secondLook;
    this.restored = restored;
    this.clock = clock;
  }

  /** Returns the result of a participant's turn. */
  Closing close(Claim claim, Flow flow, Journal journal, boolean crashed) {
    if (isSkipped(claim)) {
      return skipped(claim, journal);
    }
    // What someone in danger writes, or someone without consent, is no value of a field.
    var reply =
        claim.isInDanger() || consents.isMissing(claim.participant())
            ? QuickReply.none()
            : QuickReply.in(
                claim,
                flow,
                outcomes,
                said -> outbox.answeredAt(claim.participant().id(), said.receivedAt()),
                profile(claim));
    var heard = new Heard(claim, flow, reply, crashed, contexts);
    var texts = new ArrayList<DraftMessage>();
    var effects = new ArrayList<Effect>(reply.effects());
    for (var rule : rules) {
      var ruling = rule.look(heard);
      texts.addAll(ruling.texts());
      effects.addAll(ruling.effects());
      ruling
          .effects()
          .forEach(effect -> {
            if (effect instanceof Effect.AnswerConsent answer && answer.saidYes() != null) {
              heard.consented(answer.saidYes());
            }
          });
      var end = ruling.end();
      if (end != null) {
        journal.abandon(clock.instant());
        var closing =
            Closing.of(claim, end.outcome(), end.reason(), effects, texts, reply, journal);
        return end.leftToStaff() ? closing.leftToStaff() : closing;
      }
    }
    return crashed
        ? crashed(heard, effects, texts, journal)
        : coach(heard, effects, texts, journal);
  }

  /**
   * Returns the result of a contact's turn: contacts get only the message of the option that they
   * chose.
   */
  Closing closeOfContact(Claim claim, Journal journal) {
    if (isSkipped(claim)) {
      return skipped(claim, journal);
    }
    var chosen =
        claim.participant().mayBeTexted() && !claim.isInDanger()
            ? OpenBranch.chosen(claim)
            : Optional.<DraftMessage>empty();
    return Closing.of(
        claim,
        Outcome.NOT_FOR_THE_COACH,
        chosen.isPresent()
            ? "the participant chose an option of a branch prompt"
            : "the question that this text answers is no longer open",
        List.of(),
        chosen.stream().toList(),
        QuickReply.none(),
        journal);
  }

  /** Returns whether the turn waited in a restored backup and is skipped; a STOP is confirmed. */
  private boolean isSkipped(Claim claim) {
    return claim.inputs().stream()
        .allMatch(input ->
            switch (input) {
              case Input.Said said ->
                  said.wish() != ConsentKeyword.STOP
                      && said.wish() != ConsentKeyword.REVOKE
                      && restored.skipsText(said.seq());
              case Input.Enrolled enrolled -> restored.skipsFound(enrolled.seq());
              case Input.StaffAsked asked -> restored.skipsFound(asked.seq());
              case Input.Woke woke -> restored.skipsFound(woke.seq());
            });
  }

  private Closing skipped(Claim claim, Journal journal) {
    journal.abandon(clock.instant());
    return Closing.of(
        claim,
        Outcome.NOT_FOR_THE_COACH,
        Restored.REASON,
        List.of(),
        List.of(),
        QuickReply.none(),
        journal);
  }

  /** Returns the profile, or empty if it cannot be read; building the context reports that. */
  private Optional<Profile> profile(Claim claim) {
    try {
      return Optional.of(contexts.profile(claim));
    } catch (UnreadableProfile e) {
      return Optional.empty();
    }
  }

  private Closing coach(
      Heard heard, List<Effect> before, List<DraftMessage> first, Journal journal) {
    var claim = heard.claim();
    var reply = heard.reply();
    TurnContext context;
    try {
      context = heard.context();
    } catch (NoContext e) {
      log.warn(
          "turn {} of {} has no context and gets the flow's fallback message: {}",
          claim.turn(),
          claim.participant().id(),
          e.getMessage());
      journal.abandon(clock.instant());
      return Closing.of(
          claim, Outcome.NO_CONTEXT, e.sentence(), before, own(first, heard), reply, journal);
    }
    var opinion = secondLook.begin(heard.forTheCoach(), context, journal);
    if (opinion.isCrisis()) {
      journal.abandon(clock.instant());
      return Closing.of(
          claim,
          Outcome.NOT_FOR_THE_COACH,
          CoachingPause.REASON,
          List.of(),
          first,
          QuickReply.none(),
          journal);
    }
    var result = model.loop(context, journal).after(reply.effects()).run();
    opinion.await();
    var spoken = result.text();
    var refused = journal.refused();
    if (spoken == null && refused.isPresent()) {
      var texts = Stream.concat(first.stream(), budget.text(claim, heard.flow()).stream()).toList();
      return Closing.of(
          claim,
          Outcome.NOT_FOR_THE_COACH,
          refused.get().reason(),
          Stream.concat(before.stream(), result.effects().stream()).toList(),
          texts,
          reply,
          journal);
    }
    return Closing.of(
            claim,
            result.outcome(),
            result.reason(),
            Stream.concat(before.stream(), result.effects().stream()).toList(),
            DraftMessage.confirming(spoken, result.effects(), heard.flow().texts())
                .map(confirmation -> with(first, confirmation))
                .orElseGet(() ->
                    spoken == null
                        ? own(first, heard)
                        : said(first, heard, spoken, result.effects())),
            reply,
            journal)
        .because(result.failure());
  }

  /**
   * Returns the result of a turn that crashed too often and is not tried again. The effects of its
   * finished iterations are kept: the model was told that they worked.
   */
  private Closing crashed(
      Heard heard, List<Effect> before, List<DraftMessage> first, Journal journal) {
    var claim = heard.claim();
    var effects = new ArrayList<>(before);
    try {
      effects.addAll(model.journaled(heard.context(), journal).effectsOfFinished());
    } catch (RuntimeException e) {
      // What made the turn crash may be its context.
      if (Database.isPassing(e)) {
        throw e;
      }
      log.warn(
          "turn {} of {} crashed and has no context; the changes its tools made are lost: {}",
          claim.turn(),
          claim.participant().id(),
          e.getClass().getName());
    }
    journal.abandon(clock.instant());
    var texts =
        DraftMessage.confirming(null, effects, heard.flow().texts())
            .map(confirmation -> with(first, confirmation))
            .orElseGet(() -> own(first, heard));
    return Closing.of(
        claim, Outcome.CRASHED, Claim.CRASHED, effects, texts, heard.reply(), journal);
  }

  private static List<DraftMessage> said(
      List<DraftMessage> first, Heard heard, String spoken, List<Effect> effects) {
    return with(
        first,
        DraftMessage.spoken(
            isFirst(heard.claim()) ? heard.flow().texts().first(spoken) : spoken, effects));
  }

  /** Returns the messages of the rules, followed by the flow's fallback message. */
  private static List<DraftMessage> own(List<DraftMessage> first, Heard heard) {
    return with(first, DraftMessage.reply(fallbackText(heard.claim(), heard.flow().texts())));
  }

  private static List<DraftMessage> with(List<DraftMessage> first, DraftMessage then) {
    return Stream.concat(first.stream(), Stream.of(then)).toList();
  }

  private static String fallbackText(Claim claim, FlowTexts texts) {
    if (claim.inputs().getFirst() instanceof Input.Enrolled) {
      return isFirst(claim) ? texts.first(texts.greetingFallback()) : texts.greetingFallback();
    }
    return isFirst(claim) ? texts.first(texts.errorFallback()) : texts.errorFallback();
  }

  /**
   * Returns whether this is the coach's first message, which says that the coach is automated: the
   * greeting, or the reply to somebody who texted before they were enrolled. On a simulated phone
   * there is nobody to tell.
   */
  private static boolean isFirst(Claim claim) {
    return !claim.channel().isSimulated()
        && (claim.inputs().getFirst() instanceof Input.Enrolled || claim.turn() == 1);
  }
}
