package org.habitline.conversation.wakeups;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Instant;
import java.util.Set;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.TurnReader;
import org.habitline.conversation.takeover.Takeover;
import org.habitline.conversation.turn.Closing;
import org.habitline.conversation.turn.DraftMessage;
import org.habitline.conversation.turn.WakeupAction;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.outbox.CoachingPause;
import org.habitline.messaging.outbox.SendingHours;
import org.habitline.timers.Timers;
import org.habitline.timers.WakeupKind;

/**
 * Ends a takeover: replies to texts that staff left without a reply, or waits for the allowed hours
 * if they came long ago.
 */
@Singleton
final class HandBackTurn implements WakeupTurn {

  private static final String HANDED_BACK =
      "A staff member has been messaging the participant and has handed the conversation back;"
          + " answer what the participant said last.";

  private final WakeupGuards guards;
  private final Inbox inbox;
  private final TurnReader turns;
  private final Takeover steppingIn;
  private final SendingHours hours;
  private final Timers timers;
  private final UnpromptedSpeech speech;
  private final Clock clock;

  HandBackTurn(
      WakeupGuards guards,
      Inbox inbox,
      TurnReader turns,
      Takeover steppingIn,
      SendingHours hours,
      Timers timers,
      UnpromptedSpeech speech,
      Clock clock) {
    this.guards = guards;
    this.inbox = inbox;
    this.turns = turns;
    this.steppingIn = steppingIn;
    this.hours = hours;
    this.timers = timers;
    this.speech = speech;
    this.clock = clock;
  }

  @Override
  public Set<WakeupKind> kinds() {
    return Set.of(WakeupKind.HAND_BACK);
  }

  @Override
  public Closing close(DueWakeup due) {
    var id = due.claim().participant().id();
    // Read again: staff may have taken over once more since the turn was claimed.
    if (steppingIn.muted(id).isPresent()) {
      return due.drop("staff took over the conversation again");
    }
    if (due.claim().isInDanger()) {
      return due.drop(CoachingPause.REASON);
    }
    if (inbox.saysSomething(id)) {
      return due.drop("a text is waiting for a reply");
    }
    return turns.unanswered(id).isPresent()
        ? answer(due)
        : due.drop("no text was left without a reply");
  }

  /**
   * Replies now, or in the next allowed hours if it is outside them and the participant may be
   * asleep.
   */
  private Closing answer(DueWakeup due) {
    var now = clock.instant();
    var pause = hours.untilAllowed(due.claim().participant());
    if (!guards.mayText(due.claim(), now) && pause.isPositive()) {
      var later = now.plus(pause);
      return due.drop(
          guards.outside(due.claim(), now) + "; the coach replies within the allowed hours",
          claim -> again(claim, later));
    }
    return speech.close(
        due,
        HANDED_BACK,
        DraftMessage.of(due.flow().texts().errorFallback(), OutboundKind.REPLY),
        WakeupAction.NONE);
  }

  private boolean again(Claim claim, Instant at) {
    var participant = claim.participant();
    timers.plan(
        new Timers.Plan(participant.id(), WakeupKind.HAND_BACK, at, participant.zone(), ""));
    return true;
  }
}
