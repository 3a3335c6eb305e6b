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
import org.habitline.messaging.inbox.Input;
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
  private final ContextBuilder contexts;
  private final TurnModel model;
  private final BudgetRule budget;
  private final Clock clock;

  ReplyTurn(
      List<BeforeTheCoach> rules,
      ContextBuilder contexts,
      TurnModel model,
      BudgetRule budget,
      Clock clock) {
    this.rules = rules.stream().sorted(Comparator.comparing(BeforeTheCoach::place)).toList();
    this.contexts = contexts;
    this.model = model;
    this.budget = budget;
    this.clock = clock;
  }

  /** Returns the result of a participant's turn. */
  Closing close(Claim claim, Flow flow, Journal journal, boolean crashed) {
    // What someone in danger writes is no value of a field.
    var reply = claim.isInDanger() ? QuickReply.none() : QuickReply.in(claim, flow, profile(claim));
    var heard = new Heard(claim, flow, reply, crashed, contexts);
    var texts = new ArrayList<DraftMessage>();
    for (var rule : rules) {
      var ruling = rule.look(heard);
      texts.addAll(ruling.texts());
      var end = ruling.end();
      if (end != null) {
        journal.abandon(clock.instant());
        var closing =
            Closing.of(claim, end.outcome(), end.reason(), own(reply), texts, reply, journal);
        return end.leftToStaff() ? closing.leftToStaff() : closing;
      }
    }
    return crashed ? crashed(heard, texts, journal) : coach(heard, texts, journal);
  }

  /**
   * Returns the result of a contact's turn: contacts get only the message of the option that they
   * chose.
   */
  Closing closeOfContact(Claim claim, Journal journal) {
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

  /** Returns the profile, or empty if it cannot be read; building the context reports that. */
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

  private Closing coach(Heard heard, List<DraftMessage> first, Journal journal) {
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
          claim, Outcome.NO_CONTEXT, e.sentence(), own(reply), own(first, heard), reply, journal);
    }
    var result = model.loop(context, journal).run();
    var spoken = result.text();
    var refused = journal.refused();
    if (spoken == null && refused.isPresent()) {
      var texts = Stream.concat(first.stream(), budget.text(claim, heard.flow()).stream()).toList();
      return Closing.of(
          claim,
          Outcome.NOT_FOR_THE_COACH,
          refused.get().reason(),
          Stream.concat(own(reply).stream(), result.effects().stream()).toList(),
          texts,
          reply,
          journal);
    }
    return Closing.of(
            claim,
            result.outcome(),
            result.reason(),
            Stream.concat(own(reply).stream(), result.effects().stream()).toList(),
            spoken == null
                ? own(first, heard)
                : with(first, DraftMessage.spoken(spoken, result.effects())),
            reply,
            journal)
        .because(result.failure());
  }

  /**
   * Returns the result of a turn that crashed too often and is not tried again. The effects of its
   * finished iterations are kept: the model was told that they worked.
   */
  private Closing crashed(Heard heard, List<DraftMessage> first, Journal journal) {
    var claim = heard.claim();
    var effects = new ArrayList<>(own(heard.reply()));
    try {
      effects.addAll(model.journaled(heard.context(), journal).effectsOfFinished());
    } catch (NoContext e) {
      log.warn(
          "turn {} of {} crashed and has no context; the changes its tools made are lost",
          claim.turn(),
          claim.participant().id());
    }
    journal.abandon(clock.instant());
    return Closing.of(
        claim, Outcome.CRASHED, Claim.CRASHED, effects, own(first, heard), heard.reply(), journal);
  }

  /** Returns the messages of the rules, followed by the flow's fallback message. */
  private static List<DraftMessage> own(List<DraftMessage> first, Heard heard) {
    return with(first, DraftMessage.reply(fallbackText(heard.claim(), heard.flow().texts())));
  }

  private static List<DraftMessage> with(List<DraftMessage> first, DraftMessage then) {
    return Stream.concat(first.stream(), Stream.of(then)).toList();
  }

  private static String fallbackText(Claim claim, FlowTexts texts) {
    return claim.inputs().getFirst() instanceof Input.Enrolled
        ? texts.greetingFallback()
        : texts.errorFallback();
  }
}
