package org.habitline.conversation.wakeups;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.habitline.conversation.model.Journal;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.Outcome;
import org.habitline.conversation.stored.StateKeys;
import org.habitline.conversation.turn.Closing;
import org.habitline.conversation.turn.DraftMessage;
import org.habitline.conversation.turn.WakeupAction;
import org.habitline.flows.Flow;
import org.habitline.messaging.OutboundKind;
import org.habitline.timers.Timers;
import org.habitline.timers.Wakeup;
import org.habitline.tools.Effect;

/**
 * A wake-up that is due, with its turn.
 *
 * @param crashed whether its turn crashed the process so often that no model is asked any more
 */
record DueWakeup(Claim claim, Flow flow, Wakeup wakeup, Journal journal, boolean crashed) {

  /** Ends the turn without doing anything, for this reason. */
  Closing drop(String reason) {
    return drop(reason, WakeupAction.NONE);
  }

  /** Ends the turn without a message, for this reason; the action is still carried out. */
  Closing drop(String reason, WakeupAction action) {
    return Closing.woke(claim, Outcome.DROPPED, reason, List.of(), List.of(), action, journal);
  }

  /** Ends the turn without doing anything, for this reason, and lets the wake-up ring later. */
  Closing postpone(String reason, Timers timers, Instant at) {
    return drop(
        reason,
        postponed -> {
          var participant = postponed.participant();
          timers.plan(
              new Timers.Plan(
                  participant.id(), wakeup.kind(), at, participant.zone(), wakeup.guard()));
          return true;
        });
  }

  /** Sends a message of the flow. */
  Closing say(String text, OutboundKind kind, WakeupAction action) {
    return Closing.woke(
        claim,
        Outcome.WOKE,
        null,
        List.of(),
        List.of(DraftMessage.of(text, kind)),
        action,
        journal);
  }

  /**
   * Moves the participant to another module; does nothing if they are in it already.
   *
   * @param effects what changes with the move
   */
  Closing move(String module, String reason, List<Effect> effects) {
    return claim.pinned().module().equals(module)
        ? drop("the participant is already in " + module)
        : Closing.woke(claim, Outcome.WOKE, reason, effects, List.of(), new Move(module), journal);
  }

  private record Move(String module) implements WakeupAction {
    @Override
    public boolean carryOut(Claim claim) {
      return true;
    }

    @Override
    public Map<String, Optional<String>> data(Claim claim) {
      return Map.of(StateKeys.CONVERSATION_STATE, movesTo());
    }

    @Override
    public Optional<String> movesTo() {
      return Optional.of(module);
    }
  }
}
