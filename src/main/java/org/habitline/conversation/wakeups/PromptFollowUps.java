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
 * What follows from prompts: what {@link PromptDeliveries} armed is taken back by a reply or a
 * newer prompt. Everything here joins a transaction: that of a turn, or of a sweep. A turn holds
 * the participant (see {@link Participants#hold}), so that a reply, an acceptance and a STOP of the
 * same moment come one after the other.
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

  /** The participant said something; whatever waited for that does so no more. */
  public void replied(Claim claim, QuickReply reply) {
    var kinds = new ArrayList<>(OF_THE_CONVERSATION);
    reply
        .answered()
        .ifPresent(prompt -> {
          kinds.addAll(OF_A_DAILY_PROMPT);
          schedules.responded(claim.participant().id(), prompt.key(), reply.at());
          if (reply.done() && schedules.done(claim.participant().id(), prompt.key())) {
            states.countSuccess(claim.participant().id());
          }
        });
    timers.cancel(claim.participant().id(), kinds, "the participant replied");
  }

  /** The time of a prompt passed without it; joins the transaction of its turn. */
  void missed(String id, Occurrence.Key key, String reason) {
    schedules.missed(id, key, reason);
    planNext(id, key);
  }

  /**
   * A prompt goes out with its turn; joins its transaction. It ends whatever the ones before it
   * waited for: one chaser follows, its own. Returns whether it was still planned.
   */
  boolean prompted(Claim claim, Occurrence.Key key) {
    var id = claim.participant().id();
    if (!schedules.prompting(id, key, claim.turn())) {
      return false;
    }
    timers.cancel(id, OF_A_DAILY_PROMPT, "a newer prompt went out");
    timers.cancel(id, OF_THE_CONVERSATION, "a daily prompt went out");
    states.endFeedback(id);
    planNext(id, key);
    return true;
  }

  /** The participant is read again: they may live elsewhere since the turn began. */
  private void planNext(String id, Occurrence.Key key) {
    participants.find(id).ifPresent(it -> schedules.planNext(it, key.slot()));
  }
}
