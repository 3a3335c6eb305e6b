package org.habitline.conversation.wakeups;

import jakarta.inject.Singleton;
import java.util.Set;
import org.habitline.conversation.stored.TurnReader;
import org.habitline.conversation.takeover.Takeover;
import org.habitline.conversation.turn.Closing;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.outbox.CoachingPause;
import org.habitline.timers.Timers;
import org.habitline.timers.WakeupKind;

/**
 * Replies to the participant's last text, whose turn failed, because staff asked for it; waits for
 * the allowed hours if the participant may be asleep. Looks again before the model is asked and
 * when the turn is committed, so that a text never gets two replies. If the model cannot reply this
 * time either, nothing is sent: the participant has the flow's fallback message already.
 */
@Singleton
final class RetryTurn implements WakeupTurn {

  private static final String HINT =
      "The reply to what the participant said last could not be written at the time, and they got a"
          + " message that says so; answer what the participant said last.";

  private final WakeupGuards guards;
  private final Inbox inbox;
  private final TurnReader turns;
  private final Takeover takeovers;
  private final Timers timers;
  private final UnpromptedSpeech speech;

  RetryTurn(
      WakeupGuards guards,
      Inbox inbox,
      TurnReader turns,
      Takeover takeovers,
      Timers timers,
      UnpromptedSpeech speech) {
    this.guards = guards;
    this.inbox = inbox;
    this.turns = turns;
    this.takeovers = takeovers;
    this.timers = timers;
    this.speech = speech;
  }

  @Override
  public Set<WakeupKind> kinds() {
    return Set.of(WakeupKind.RETRY);
  }

  @Override
  public Closing close(DueWakeup due) {
    var id = due.claim().participant().id();
    // Read again: staff may have taken over since the turn was claimed.
    if (takeovers.muted(id).isPresent()) {
      return due.drop("staff took over the conversation");
    }
    if (due.claim().isInDanger()) {
      return due.drop(CoachingPause.REASON);
    }
    if (inbox.saysSomething(id)) {
      return due.drop("a newer text is waiting for a reply");
    }
    return isUnanswered(due) ? answer(due) : due.drop("the text has a reply already");
  }

  private Closing answer(DueWakeup due) {
    var late = guards.whyTooLate(due.wakeup());
    if (late.isPresent()) {
      return due.drop(late.get());
    }
    return guards
        .repliesLater(due.claim())
        .map(later -> due.postpone(guards.repliesInHours(due.claim()), timers, later))
        .orElseGet(() -> speech.answer(due, HINT, _ -> isUnanswered(due)));
  }

  /** The guard of the wake-up is the number of the turn that failed. */
  private boolean isUnanswered(DueWakeup due) {
    return turns.leftByFailure(
            due.claim().participant().id(), Integer.parseInt(due.wakeup().guard()))
        == TurnReader.Left.UNANSWERED;
  }
}
