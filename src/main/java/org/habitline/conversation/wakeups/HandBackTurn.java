package org.habitline.conversation.wakeups;

import jakarta.inject.Singleton;
import java.util.Set;
import org.habitline.conversation.stored.TurnReader;
import org.habitline.conversation.takeover.Takeover;
import org.habitline.conversation.turn.Closing;
import org.habitline.conversation.turn.DraftMessage;
import org.habitline.conversation.turn.WakeupAction;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.outbox.CoachingPause;
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
  private final Timers timers;
  private final UnpromptedSpeech speech;

  HandBackTurn(
      WakeupGuards guards,
      Inbox inbox,
      TurnReader turns,
      Takeover steppingIn,
      Timers timers,
      UnpromptedSpeech speech) {
    this.guards = guards;
    this.inbox = inbox;
    this.turns = turns;
    this.steppingIn = steppingIn;
    this.timers = timers;
    this.speech = speech;
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
    return guards
        .repliesLater(due.claim())
        .map(later -> due.postpone(guards.repliesInHours(due.claim()), timers, later))
        .orElseGet(() ->
            speech.close(
                due,
                HANDED_BACK,
                DraftMessage.of(due.flow().texts().errorFallback(), OutboundKind.REPLY),
                WakeupAction.NONE));
  }
}
