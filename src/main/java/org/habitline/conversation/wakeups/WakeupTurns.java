package org.habitline.conversation.wakeups;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.habitline.conversation.model.Journal;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.Outcome;
import org.habitline.conversation.turn.Closing;
import org.habitline.conversation.turn.ConsentDialogue;
import org.habitline.conversation.turn.WakeupAction;
import org.habitline.flows.Flow;
import org.habitline.messaging.Restored;
import org.habitline.timers.Timers;
import org.habitline.timers.Wakeup;
import org.habitline.timers.WakeupKind;

/**
 * Decides the turns of wake-ups: checks what holds for all kinds, then asks the class of each kind.
 */
@Singleton
public final class WakeupTurns {

  /** What has no reason of its own for saying nothing when it is late. */
  private static final Set<WakeupKind> SAY_SOMETHING =
      EnumSet.of(WakeupKind.NUDGE, WakeupKind.HAND_BACK);

  private final Map<WakeupKind, WakeupTurn> turns = new EnumMap<>(WakeupKind.class);
  private final WakeupGuards guards;
  private final ConsentDialogue dialogue;
  private final Timers timers;
  private final Clock clock;

  /**
   * @throws IllegalStateException if a kind of wake-up has no turn
   */
  WakeupTurns(
      List<WakeupTurn> all,
      WakeupGuards guards,
      ConsentDialogue dialogue,
      Timers timers,
      Clock clock) {
    all.forEach(turn -> turn.kinds().forEach(kind -> turns.put(kind, turn)));
    for (var kind : WakeupKind.values()) {
      if (!turns.containsKey(kind)) {
        throw new IllegalStateException("No turn serves the wake-up " + kind + ".");
      }
    }
    this.guards = guards;
    this.dialogue = dialogue;
    this.timers = timers;
    this.clock = clock;
  }

  /** Returns the result of the turn of a due wake-up. */
  public Closing close(Claim claim, Flow flow, Journal journal, boolean crashed) {
    if (crashed) {
      journal.abandon(clock.instant());
    }
    var wakeup = claim.state().wakeup();
    if (wakeup == null) {
      return Closing.woke(
          claim,
          Outcome.DROPPED,
          "the wake-up no longer exists",
          List.of(),
          List.of(),
          WakeupAction.NONE,
          journal);
    }
    var due = new DueWakeup(claim, flow, wakeup, journal, crashed);
    if (wakeup.status() != Wakeup.Status.RUNG) {
      return due.drop(wakeup.reason() == null ? "it had already ended" : wakeup.reason());
    }
    if (SAY_SOMETHING.contains(wakeup.kind()) && guards.isSkipped(wakeup)) {
      return due.drop(Restored.REASON);
    }
    var turn = Objects.requireNonNull(turns.get(wakeup.kind()));
    if (!turn.recordsWhyNothingWasSent()) {
      var not = WakeupGuards.whyNotTexted(claim.participant());
      if (not.isPresent()) {
        return due.drop(not.get());
      }
    }
    var consent = guards.whyNotCoached(claim.participant());
    if (consent.isEmpty() || turn.recordsWhyNothingWasSent()) {
      return turn.close(due);
    }
    // A daily prompt is recorded as missed, and the next one planned; everything else just ends.
    var closing =
        wakeup.kind() == WakeupKind.DAILY_PROMPT ? turn.close(due) : due.drop(consent.get());
    return asking(due, closing);
  }

  /**
   * Returns the turn with the question for consent instead of a daily prompt, if it was not put
   * yet, or when staff hand a conversation back, because they may have left an answer to it.
   */
  private Closing asking(DueWakeup due, Closing closing) {
    var now = clock.instant();
    var claim = due.claim();
    if (claim.state().staff().mutes(now).isPresent() || !guards.mayText(claim, now)) {
      return closing;
    }
    var question =
        switch (due.wakeup().kind()) {
          case DAILY_PROMPT -> dialogue.question(claim.participant());
          case HAND_BACK -> dialogue.questionAgain(claim.participant());
          case RETRY,
              REMINDER,
              AUTO_FEEDBACK,
              CHECK_IN,
              FOLLOW_UP,
              TRANSITION,
              ZONE_MOVE,
              NUDGE,
              SCRIPTED ->
              Optional.<ConsentDialogue.Step>empty();
        };
    return question.map(step -> closing.with(step.texts(), step.effects())).orElse(closing);
  }

  /**
   * Ends the wake-up of a turn and carries out its action; joins the transaction of the turn.
   * Returns whether the turn was still wanted: if not, none of its messages may go out.
   */
  public boolean end(Closing closing) {
    var wakeup = closing.claim().state().wakeup();
    if (wakeup == null) {
      return false;
    }
    var dropped = closing.outcome() == Outcome.DROPPED;
    var open =
        timers.end(
            wakeup.id(), dropped ? Wakeup.Status.DROPPED : Wakeup.Status.DONE, closing.reason());
    return open ? closing.action().carryOut(closing.claim()) : dropped;
  }
}
