package org.habitline.conversation.wakeups;

import jakarta.inject.Singleton;
import java.util.Set;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.JdbcStates;
import org.habitline.conversation.turn.Closing;
import org.habitline.conversation.turn.DraftMessage;
import org.habitline.conversation.turn.WakeupAction;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.timers.WakeupKind;

/**
 * Asks how a prompt from the conversation went, and asks once more if no reply comes (seed 003's
 * {@code feedbackState}). The model writes the question; if it cannot, the flow's own is sent.
 */
@Singleton
final class CheckInTurn implements WakeupTurn {

  /** The prompt went out; the participant was not asked yet. */
  static final String WAITING_INITIAL = "waiting_initial";

  /** The participant was asked once. */
  static final String FOLLOWUP_SENT = "followup_sent";

  /** The participant is not asked any more. */
  static final String COMPLETED = "completed";

  private static final String FIRST_HINT =
      "The participant was sent a habit prompt and has not replied; ask once, in one sentence, how"
          + " it went.";
  private static final String SECOND_HINT =
      "The participant was asked how the habit prompt went and has still not replied; ask once"
          + " more, gently, in one sentence.";

  private final WakeupGuards guards;
  private final Inbox inbox;
  private final JdbcStates states;
  private final UnpromptedSpeech speech;

  CheckInTurn(WakeupGuards guards, Inbox inbox, JdbcStates states, UnpromptedSpeech speech) {
    this.guards = guards;
    this.inbox = inbox;
    this.states = states;
    this.speech = speech;
  }

  @Override
  public Set<WakeupKind> kinds() {
    return Set.of(WakeupKind.CHECK_IN, WakeupKind.FOLLOW_UP);
  }

  @Override
  public Closing close(DueWakeup due) {
    var first = due.wakeup().kind() == WakeupKind.CHECK_IN;
    var expected = first ? WAITING_INITIAL : FOLLOWUP_SENT;
    if (!expected.equals(due.claim().state().counters().feedbackState())) {
      return due.drop("feedback is no longer expected");
    }
    if (inbox.saysSomething(due.claim().participant().id())) {
      return due.drop("a text is waiting for a reply", new CheckedIn(COMPLETED));
    }
    var daily = due.flow().dailyPrompt();
    if (daily == null) {
      return due.drop("the flow has no check-in", new CheckedIn(COMPLETED));
    }
    var not = guards.whyNotNow(due);
    if (not.isPresent()) {
      return due.drop(not.get(), new CheckedIn(COMPLETED));
    }
    return first
        ? speech.close(
            due,
            FIRST_HINT,
            DraftMessage.of(daily.checkIn(), OutboundKind.CHECK_IN),
            new CheckedIn(FOLLOWUP_SENT))
        : speech.close(
            due,
            SECOND_HINT,
            DraftMessage.of(daily.followUp(), OutboundKind.CHECK_IN),
            new CheckedIn(COMPLETED));
  }

  private final class CheckedIn implements WakeupAction {
    private final String feedbackState;

    CheckedIn(String feedbackState) {
      this.feedbackState = feedbackState;
    }

    @Override
    public boolean carryOut(Claim claim) {
      states.feedback(claim.participant().id(), feedbackState);
      return true;
    }

    @Override
    public WakeupAction takenOver(String reason) {
      return new CheckedIn(COMPLETED);
    }
  }
}
