package org.habitline.conversation.takeover;

import jakarta.inject.Singleton;
import java.time.Clock;
import org.habitline.conversation.stored.TurnReader;
import org.habitline.conversation.stored.TurnStatus;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.InputKind;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.safety.incidents.Incidents;
import org.habitline.storage.Transactions;
import org.habitline.timers.Timers;
import org.habitline.timers.WakeupKind;

/**
 * Lets the coach reply to a participant's last text once more after its turn failed. The retry is a
 * wake-up, so that it survives a crash and runs as a turn of its own, which checks once more that
 * the text has no reply.
 */
@Singleton
public final class Retries {

  private final TurnReader turns;
  private final Takeover takeovers;
  private final Incidents incidents;
  private final Inbox inbox;
  private final Participants participants;
  private final Timers timers;
  private final Transactions transactions;
  private final Clock clock;

  Retries(
      TurnReader turns,
      Takeover takeovers,
      Incidents incidents,
      Inbox inbox,
      Participants participants,
      Timers timers,
      Transactions transactions,
      Clock clock) {
    this.turns = turns;
    this.takeovers = takeovers;
    this.incidents = incidents;
    this.inbox = inbox;
    this.participants = participants;
    this.timers = timers;
    this.transactions = transactions;
    this.clock = clock;
  }

  /** The result of {@link #retry}. */
  public enum Retried {
    /** A retry is planned for now. */
    PLANNED,
    /** The same retry was planned before and has not ended; nothing was changed. */
    ALREADY,
    /** There is no such turn. */
    NO_TURN,
    /** The turn did not fail. */
    NOT_FAILED,
    /** The participant got a reply since. */
    ANSWERED,
    /** No text of this turn, or of a later one that failed, waits for a reply of the coach. */
    NO_TEXT,
    /** A newer text is being replied to. */
    NEWER_TEXT,
    /** Staff have taken the conversation over. */
    TAKEN_OVER,
    /** Coaching is paused for a safety incident. */
    PAUSED
  }

  /** Plans a retry of a failed turn, if the text still has no reply. */
  public Retried retry(Participant participant, int number) {
    return transactions.write(() -> {
      var id = participant.id();
      participants.hold(id);
      var turn = turns.turn(id, number);
      if (turn.isEmpty()) {
        return Retried.NO_TURN;
      }
      if (turn.get().status() != TurnStatus.FAILED) {
        return Retried.NOT_FAILED;
      }
      if (turn.get().kind() != InputKind.SAID) {
        return Retried.NO_TEXT;
      }
      if (timers.open(id).stream().anyMatch(it -> it.kind() == WakeupKind.RETRY)) {
        return Retried.ALREADY;
      }
      if (takeovers.muted(id).isPresent()) {
        return Retried.TAKEN_OVER;
      }
      if (incidents.isInForce(id)) {
        return Retried.PAUSED;
      }
      if (inbox.saysSomething(id)) {
        return Retried.NEWER_TEXT;
      }
      return switch (turns.leftByFailure(id, number)) {
        case ANSWERED -> Retried.ANSWERED;
        case NONE -> Retried.NO_TEXT;
        case UNANSWERED -> planned(participant, number);
      };
    });
  }

  private Retried planned(Participant participant, int number) {
    timers.plan(
        new Timers.Plan(
            participant.id(),
            WakeupKind.RETRY,
            clock.instant(),
            participant.zone(),
            String.valueOf(number)));
    takeovers.changed(participant.id(), "retried");
    return Retried.PLANNED;
  }
}
