package org.habitline.conversation;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.habitline.audit.Events;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.JdbcStates;
import org.habitline.conversation.stored.JdbcTurns;
import org.habitline.conversation.stored.Outcome;
import org.habitline.conversation.stored.TurnJson;
import org.habitline.conversation.stored.TurnStatus;
import org.habitline.conversation.turn.ClosedTurn;
import org.habitline.conversation.turn.Closing;
import org.habitline.conversation.turn.TurnListener;
import org.habitline.conversation.wakeups.PromptFollowUps;
import org.habitline.conversation.wakeups.WakeupTurns;
import org.habitline.messaging.LeaseLost;
import org.habitline.messaging.Leases;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.safety.incidents.Incidents;
import org.habitline.storage.Transactions;
import org.habitline.tools.Effect;

/** Ends a turn: commits everything it results in, in one transaction. */
@Singleton
final class TurnCommit {

  private final Participants participants;
  private final Leases leases;
  private final PromptFollowUps prompts;
  private final WakeupTurns wakeups;
  private final TurnTexts texts;
  private final TurnEffects effects;
  private final Inbox inbox;
  private final JdbcTurns turns;
  private final JdbcStates states;
  private final Incidents incidents;
  private final TurnAlarms alarms;
  private final Events events;
  private final List<TurnListener> listeners;
  private final Transactions transactions;
  private final Clock clock;

  TurnCommit(
      Participants participants,
      Leases leases,
      PromptFollowUps prompts,
      WakeupTurns wakeups,
      TurnTexts texts,
      TurnEffects effects,
      Inbox inbox,
      JdbcTurns turns,
      JdbcStates states,
      Incidents incidents,
      TurnAlarms alarms,
      Events events,
      List<TurnListener> listeners,
      Transactions transactions,
      Clock clock) {
    this.participants = participants;
    this.leases = leases;
    this.prompts = prompts;
    this.wakeups = wakeups;
    this.texts = texts;
    this.effects = effects;
    this.inbox = inbox;
    this.turns = turns;
    this.states = states;
    this.incidents = incidents;
    this.alarms = alarms;
    this.events = events;
    this.listeners = listeners;
    this.transactions = transactions;
    this.clock = clock;
  }

  /**
   * Commits a turn: transcript, state data, profile, outbox, inbox and the turn itself, all or
   * nothing.
   *
   * @throws LeaseLost if another node may be replying to this participant now
   */
  void commit(Closing wanted) {
    transactions.write(() -> {
      events.together(() -> write(wanted));
      wanted.journal().count();
    });
  }

  private void write(Closing wanted) {
    var claim = wanted.claim();
    participants.hold(claim.participant().id());
    leases.release(claim.lease());
    var closing = alarms.raise(carriedOut(stillTexted(advance(claim) ? wanted : silenced(wanted))));
    var written = texts.write(closing);
    var spoken = written.spoken();
    effects.apply(closing, written.heard());
    closing.action().recorded(claim, spoken.isEmpty() ? null : spoken.getLast().messageId());
    inbox.done(claim.participant().id(), claim.turn(), claim.inputs());
    closing.journal().finish();
    closing.journal().broadcast().said(spoken);
    close(closing);
    transactions.afterCommit(() -> {
      var closed = closed(closing);
      listeners.forEach(listener -> listener.closed(closed));
    });
  }

  /** Returns what is left to do if the participant said STOP while the coach opted them out. */
  private Closing stillTexted(Closing wanted) {
    return Closing.optsOut(wanted.effects())
            && participants
                .find(wanted.claim().participant().id())
                .filter(Participant::optedOut)
                .isPresent()
        ? wanted.optedOutMeanwhile()
        : wanted;
  }

  private Closing silenced(Closing wanted) {
    return incidents.isInForce(wanted.claim().participant().id())
        ? wanted.inDanger()
        : wanted.takenOver();
  }

  /**
   * Advances to the next turn number; returns false if automatic replies are paused by now: staff
   * have taken the conversation over, or a safety incident is open.
   */
  private boolean advance(Claim claim) {
    var id = claim.participant().id();
    var next = claim.turn() + 1;
    var now = clock.instant();
    if (claim.said().isEmpty()) {
      return states.advance(id, next, now) > 0 || states.advanceMuted(id, next) == 0;
    }
    return states.advanceReplied(id, next, now) > 0 || states.advanceRepliedMuted(id, next) == 0;
  }

  /**
   * Carries out what the input itself causes, whatever the reply: follow-ups of a text end, and the
   * action of a wake-up runs.
   */
  private Closing carriedOut(Closing closing) {
    var claim = closing.claim();
    if (!claim.said().isEmpty()) {
      prompts.replied(claim, closing.reply());
    }
    return claim.woke().isEmpty() || wakeups.end(closing) ? closing : closing.unwanted();
  }

  private void close(Closing closing) {
    var claim = closing.claim();
    var id = claim.participant().id();
    var failed = closing.outcome().failed();
    turns.close(
        id,
        claim.turn(),
        failed ? TurnStatus.FAILED : TurnStatus.DONE,
        closing.outcome(),
        closing.reason(),
        closing.failure(),
        closing.heldByStaff(),
        clock.instant());
    events.emit(
        failed ? "turn.failed" : "turn.completed",
        id,
        Map.of("turn", claim.turn(), "kind", claim.kind().word()));
    if (closing.outcome() == Outcome.BRAKED) {
      events.emit("turn.braked", id, Map.of("turn", claim.turn()));
    }
  }

  private static ClosedTurn closed(Closing closing) {
    var iterations = closing.journal().ended();
    return new ClosedTurn(
        closing.claim().kind(),
        closing.outcome(),
        iterations.size(),
        iterations.stream()
            .flatMap(iteration -> iteration.toolCalls().stream())
            .map(call -> new ClosedTurn.Call(call.name(), TurnJson.status(call.result())))
            .toList(),
        Stream.concat(
                closing.effects().stream()
                    .filter(Effect.MoveState.class::isInstance)
                    .map(effect -> ((Effect.MoveState) effect).to()),
                closing.action().movesTo().stream())
            .toList(),
        closing.journal().rulings());
  }
}
