package org.habitline.conversation;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import org.habitline.messaging.DeliveryListener;
import org.habitline.messaging.Inbox;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.OutboundMessage;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.timers.Occurrence;
import org.habitline.timers.PromptTimes;
import org.habitline.timers.Schedules;
import org.habitline.timers.Timers;
import org.habitline.timers.Wakeup;
import org.habitline.timers.WakeupHandler;
import org.habitline.timers.WakeupKind;

/**
 * What follows from prompts: reminder, check-in and the counters are armed when the provider takes
 * the prompt, and taken back by a reply. Everything here joins a transaction: that of a turn, of an
 * acceptance, or of a sweep. The first two hold the participant (see {@link Participants#hold}), so
 * that a reply, an acceptance and a STOP of the same moment come one after the other.
 */
@Singleton
final class PromptLife implements DeliveryListener, WakeupHandler {

  private static final List<WakeupKind> OF_THE_CONVERSATION =
      List.of(WakeupKind.CHECK_IN, WakeupKind.FOLLOW_UP);
  private static final List<WakeupKind> OF_A_DAILY_PROMPT =
      List.of(WakeupKind.REMINDER, WakeupKind.AUTO_FEEDBACK);

  private final Schedules schedules;
  private final Timers timers;
  private final PromptTimes times;
  private final Inbox inbox;
  private final Participants participants;
  private final JdbcStates states;
  private final JdbcTurns turns;
  private final Clock clock;

  PromptLife(
      Schedules schedules,
      Timers timers,
      PromptTimes times,
      Inbox inbox,
      Participants participants,
      JdbcStates states,
      JdbcTurns turns,
      Clock clock) {
    this.schedules = schedules;
    this.timers = timers;
    this.times = times;
    this.inbox = inbox;
    this.participants = participants;
    this.states = states;
    this.turns = turns;
    this.clock = clock;
  }

  @Override
  public void woke(List<Wakeup> due) {
    var work = new LinkedHashMap<String, String>();
    due.forEach(wakeup -> work.put(wakeup.id(), wakeup.participantId()));
    inbox.woke(work);
  }

  /** The participant said something; whatever waited for that does so no more. */
  void replied(Claim claim, QuickReply reply) {
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

  @Override
  public void accepted(OutboundMessage message) {
    var turn = message.turn();
    if (turn == null) {
      return;
    }
    switch (message.kind()) {
      case PROMPT -> participant(message).ifPresent(it -> promptAccepted(it, turn));
      case PROMPT_NOW -> participant(message).ifPresent(it -> armCheckIn(it, turn));
      case CHECK_IN -> participant(message).ifPresent(this::armFollowUp);
      case REMINDER ->
          inbox
              .wakeupOf(message.participantId(), turn)
              .flatMap(timers::find)
              .map(wakeup -> Occurrence.Key.read(wakeup.guard()))
              .ifPresent(key -> schedules.reminded(message.participantId(), key));
      case REPLY,
          INTENSITY,
          STAFF,
          DEBUG,
          SCRIPTED,
          CHOSEN,
          STATUS,
          HELP,
          CONFIRMATION,
          NOTICE -> {}
    }
  }

  private Optional<Participant> participant(OutboundMessage message) {
    return participants.find(message.participantId());
  }

  private void promptAccepted(Participant participant, int turn) {
    schedules
        .sent(participant, turn)
        .ifPresent(sent -> {
          if (sent.first()) {
            states.countPrompt(participant.id());
          }
          var prompt = sent.prompt();
          if (prompt.pending()) {
            var guard = prompt.key().text();
            if (prompt.reminderDueAt() != null) {
              arm(participant, WakeupKind.REMINDER, prompt.reminderDueAt(), guard);
            }
            if (times.autoFeedback()) {
              arm(
                  participant,
                  WakeupKind.AUTO_FEEDBACK,
                  clock.instant().plus(times.autoFeedbackDelay()),
                  guard);
            }
          }
        });
  }

  private void arm(Participant participant, WakeupKind kind, Instant dueAt, String guard) {
    timers.plan(new Timers.Plan(participant.id(), kind, dueAt, participant.zone(), guard));
  }

  /** Unless they said something or got a daily prompt since: then they need not be asked. */
  private void armCheckIn(Participant participant, int turn) {
    if (participant.mayBeTexted()
        && turns.saidAfter(participant.id(), turn) == 0
        && !promptedAfter(participant, turn)) {
      states.feedback(participant.id(), CheckInTurn.WAITING_INITIAL);
      arm(
          participant,
          WakeupKind.CHECK_IN,
          clock.instant().plus(times.checkInAfter()),
          "turn " + turn);
    }
  }

  private boolean promptedAfter(Participant participant, int turn) {
    return schedules
        .standing(participant)
        .newestPrompt()
        .map(Occurrence::turn)
        .filter(prompted -> prompted > turn)
        .isPresent();
  }

  private void armFollowUp(Participant participant) {
    if (participant.mayBeTexted()
        && states
            .feedback(participant.id())
            .filter(CheckInTurn.FOLLOWUP_SENT::equals)
            .isPresent()) {
      arm(
          participant,
          WakeupKind.FOLLOW_UP,
          clock.instant().plus(times.followUpAfter()),
          CheckInTurn.FOLLOWUP_SENT);
    }
  }

  @Override
  public void missed(OutboundMessage message, String reason) {
    if (message.kind() == OutboundKind.PROMPT && message.turn() != null) {
      schedules.notSent(message.participantId(), message.turn(), reason);
    } else {
      refused(message, reason);
    }
  }

  /** Whoever never saw a prompt is neither reminded of it nor asked about it. */
  @Override
  public void undelivered(OutboundMessage message, String reason) {
    var id = message.participantId();
    if (message.turn() == null) {
      return;
    }
    switch (message.kind()) {
      case PROMPT -> {
        if (schedules.undelivered(id, message.turn(), reason)) {
          timers.cancel(id, OF_A_DAILY_PROMPT, "the prompt was not delivered");
        }
      }
      case PROMPT_NOW, CHECK_IN -> {
        timers.cancel(id, OF_THE_CONVERSATION, "the text was not delivered");
        states.endFeedback(id);
      }
      case REPLY,
          INTENSITY,
          REMINDER,
          STAFF,
          DEBUG,
          SCRIPTED,
          CHOSEN,
          STATUS,
          HELP,
          CONFIRMATION,
          NOTICE -> {}
    }
  }

  @Override
  public void refused(OutboundMessage message, String reason) {
    if (message.turn() == null) {
      return;
    }
    switch (message.kind()) {
      case PROMPT -> schedules.refused(message.participantId(), message.turn(), reason);
      case CHECK_IN -> states.endFeedback(message.participantId());
      case REPLY,
          PROMPT_NOW,
          INTENSITY,
          REMINDER,
          STAFF,
          DEBUG,
          SCRIPTED,
          CHOSEN,
          STATUS,
          HELP,
          CONFIRMATION,
          NOTICE -> {}
    }
  }
}
