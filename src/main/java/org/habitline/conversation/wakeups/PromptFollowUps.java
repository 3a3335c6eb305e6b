package org.habitline.conversation.wakeups;

import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.JdbcStates;
import org.habitline.conversation.turn.QuickReply;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.participants.Participants;
import org.habitline.timers.Occurrence;
import org.habitline.timers.Schedules;
import org.habitline.timers.Timers;
import org.habitline.timers.Wakeup;
import org.habitline.timers.WakeupHandler;
import org.habitline.timers.WakeupKind;

/**
 * Cancels what {@link PromptDeliveries} planned after a prompt, when a reply or a newer prompt
 * makes it unnecessary. All methods join a transaction: that of a turn, or of a sweep. A turn holds
 * the participant (see {@link Participants#hold}), so that a reply, an acceptance and a STOP of the
 * same moment are handled one after the other.
 */
@Singleton
public final class PromptFollowUps implements WakeupHandler {

  static final List<WakeupKind> OF_THE_CONVERSATION =
      List.of(WakeupKind.CHECK_IN, WakeupKind.FOLLOW_UP);
  static final List<WakeupKind> OF_A_DAILY_PROMPT =
      List.of(WakeupKind.REMINDER, WakeupKind.AUTO_FEEDBACK);

  private final Schedules schedules;
  private final Timers timers;
  private final Inbox inbox;
  private final Participants participants;
  private final JdbcStates states;

  PromptFollowUps(
      Schedules schedules,
      Timers timers,
      Inbox inbox,
      Participants participants,
      JdbcStates states) {
    this.schedules = schedules;
    this.timers = timers;
    this.inbox = inbox;
    this.participants = participants;
    this.states = states;
  }

  @Override
  public void woke(List<Wakeup> due) {
    var work = new LinkedHashMap<String, String>();
    due.forEach(wakeup -> work.put(wakeup.id(), wakeup.participantId()));
    inbox.woke(work);
  }

  /**
   * Records a participant's reply and cancels everything that waited for one; a question about the
   * outcome that is still to be asked waits for the outcome.
   */
  public void replied(Claim claim, QuickReply reply) {
    var kinds = new ArrayList<>(OF_THE_CONVERSATION);
    kinds.add(WakeupKind.NUDGE);
    reply
        .answered()
        .ifPresent(prompt -> {
          kinds.addAll(
              prompt.askedAt() == null ? List.of(WakeupKind.AUTO_FEEDBACK) : OF_A_DAILY_PROMPT);
          schedules.responded(claim.participant().id(), prompt.key(), reply.at());
        });
    timers.cancel(claim.participant().id(), kinds, "the participant replied");
  }

  /** Marks a prompt as missed and plans the next one; joins the transaction of its turn. */
  void missed(String id, Occurrence.Key key, String reason) {
    schedules.missed(id, key, reason);
    planNext(id, key);
  }

  /**
   * Marks a prompt as going out with its turn; joins its transaction. Cancels the follow-ups of
   * earlier prompts, so that only its own remain. Returns whether the prompt was still planned.
   *
   * @param asks whether the prompt asks about its outcome
   * @param asksElse whether the turn then asks something else
   */
  boolean prompted(Claim claim, Occurrence.Key key, boolean asks, boolean asksElse) {
    var id = claim.participant().id();
    if (!schedules.prompting(id, key, claim.turn(), asks, asksElse)) {
      return false;
    }
    timers.cancel(id, OF_A_DAILY_PROMPT, "a newer prompt was sent");
    timers.cancel(id, OF_THE_CONVERSATION, "a daily prompt was sent");
    states.endFeedback(id);
    planNext(id, key);
    return true;
  }

  /**
   * Plans the next prompt. Reads the participant again, because their zone may have changed since
   * the turn began.
   */
  private void planNext(String id, Occurrence.Key key) {
    participants.find(id).ifPresent(it -> schedules.planNext(it, key.slot()));
  }
}
