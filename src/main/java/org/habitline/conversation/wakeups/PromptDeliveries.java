package org.habitline.conversation.wakeups;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.habitline.conversation.stored.JdbcStates;
import org.habitline.conversation.stored.JdbcTurns;
import org.habitline.conversation.stored.OutcomeWriter;
import org.habitline.flows.DailyPrompt;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.OutboundMessage;
import org.habitline.messaging.inbox.InboxReader;
import org.habitline.messaging.outbox.DeliveryListener;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.timers.Occurrence;
import org.habitline.timers.PromptTimes;
import org.habitline.timers.Schedules;
import org.habitline.timers.Timers;
import org.habitline.timers.WakeupKind;

/**
 * Plans the reminder, check-in and nudge and updates the counters when the provider accepts a
 * prompt; cancels them when a prompt did not arrive, so that participants are not asked about what
 * they never saw. A message of a flow that the participant has left gets no follow-up. Joins the
 * transaction that records the delivery, which holds the participant; {@link PromptFollowUps}
 * cancels what a reply makes unnecessary.
 */
@Singleton
final class PromptDeliveries implements DeliveryListener {

  private final FlowCatalog flows;
  private final Schedules schedules;
  private final Timers timers;
  private final PromptTimes times;
  private final InboxReader inbox;
  private final OutcomeWriter outcomes;
  private final Participants participants;
  private final JdbcStates states;
  private final JdbcTurns turns;
  private final Nudges nudges;
  private final Clock clock;

  PromptDeliveries(
      FlowCatalog flows,
      Schedules schedules,
      Timers timers,
      PromptTimes times,
      InboxReader inbox,
      OutcomeWriter outcomes,
      Participants participants,
      JdbcStates states,
      JdbcTurns turns,
      Nudges nudges,
      Clock clock) {
    this.flows = flows;
    this.schedules = schedules;
    this.timers = timers;
    this.times = times;
    this.inbox = inbox;
    this.outcomes = outcomes;
    this.participants = participants;
    this.states = states;
    this.turns = turns;
    this.nudges = nudges;
    this.clock = clock;
  }

  @Override
  public void accepted(OutboundMessage message) {
    var turn = message.turn();
    if (turn == null) {
      return;
    }
    switch (message.kind()) {
      case PROMPT -> participant(message).ifPresent(it -> promptAccepted(it, turn));
      case REPLY -> armNudge(message, turn);
      case PROMPT_NOW -> {
        inTheirFlow(message, turn).ifPresent(it -> armCheckIn(it, turn));
        armNudge(message, turn);
      }
      case CHECK_IN -> inTheirFlow(message, turn).ifPresent(this::armFollowUp);
      case REMINDER ->
          remindedOf(message, turn)
              .ifPresent(key -> schedules.reminded(message.participantId(), key));
      case INTENSITY,
          NUDGE,
          STAFF,
          DEBUG,
          SCRIPTED,
          CHOSEN,
          STATUS,
          HELP,
          CONFIRMATION,
          NOTICE,
          CRISIS,
          CONSENT,
          ALERT -> {}
    }
  }

  /** Returns the prompt of a reminder, or of a question that was asked in its place. */
  private Optional<Occurrence.Key> remindedOf(OutboundMessage message, int turn) {
    return inbox
        .wakeupOf(message.participantId(), turn)
        .flatMap(timers::find)
        .map(wakeup -> Occurrence.Key.read(wakeup.guard()));
  }

  private Optional<Participant> participant(OutboundMessage message) {
    return participants.find(message.participantId());
  }

  /** Returns the participant, unless they left the flow whose turn wrote the message. */
  private Optional<Participant> inTheirFlow(OutboundMessage message, int turn) {
    return participant(message).filter(it -> isOfTheirFlow(it, turn));
  }

  /** A move to another flow runs between turns, so a turn of the old flow began before it. */
  private boolean isOfTheirFlow(Participant participant, int turn) {
    return participants
        .flowChangedAt(participant.id())
        .flatMap(moved ->
            turns.find(participant.id(), turn).filter(wrote -> wrote.startedAt().isBefore(moved)))
        .isEmpty();
  }

  private void promptAccepted(Participant participant, int turn) {
    schedules
        .sent(participant, turn, askAfter(participant), isOfTheirFlow(participant, turn))
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
            if (times.autoFeedback() && prompt.respondedAt() == null) {
              arm(
                  participant,
                  WakeupKind.AUTO_FEEDBACK,
                  clock.instant().plus(times.autoFeedbackDelay()),
                  guard);
            }
          }
        });
  }

  private Optional<Duration> askAfter(Participant participant) {
    return flows.flow(participant.flow()).map(Flow::dailyPrompt).map(DailyPrompt::askAfter);
  }

  private void arm(Participant participant, WakeupKind kind, Instant dueAt, String guard) {
    timers.plan(new Timers.Plan(participant.id(), kind, dueAt, participant.zone(), guard));
  }

  private void armNudge(OutboundMessage message, int turn) {
    var silence = turns.silence(message.participantId(), turn);
    if (silence.lasts()) {
      participant(message).ifPresent(it -> nudges.plan(it, silence));
    }
  }

  /** Plans a check-in, unless the participant wrote or got a daily prompt since. */
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
      outcomes.notArrived(message.participantId(), message.turn());
      schedules.notSent(message.participantId(), message.turn(), reason);
    } else if (message.kind() == OutboundKind.NUDGE) {
      // Nothing that was missed is tried again: a person who stays silent is shown to staff as
      // stuck.
      states.nudgeMissed(message.participantId());
    } else {
      refused(message, reason);
    }
  }

  /** Cancels the reminder and check-in of a prompt that never arrived. */
  @Override
  public void undelivered(OutboundMessage message, String reason) {
    var id = message.participantId();
    if (message.turn() == null) {
      return;
    }
    switch (message.kind()) {
      case PROMPT -> {
        outcomes.notArrived(id, message.turn());
        if (schedules.undelivered(id, message.turn(), reason)) {
          timers.cancel(id, PromptFollowUps.OF_A_DAILY_PROMPT, "the prompt was not delivered");
        }
      }
      case PROMPT_NOW, CHECK_IN -> {
        timers.cancel(id, PromptFollowUps.OF_THE_CONVERSATION, "the message was not delivered");
        states.endFeedback(id);
      }
      case REMINDER ->
          remindedOf(message, message.turn()).ifPresent(key -> schedules.notAsked(id, key));
      case NUDGE -> states.notNudged(id);
      case REPLY,
          INTENSITY,
          STAFF,
          DEBUG,
          SCRIPTED,
          CHOSEN,
          STATUS,
          HELP,
          CONFIRMATION,
          NOTICE,
          CRISIS,
          CONSENT,
          ALERT -> {}
    }
  }

  @Override
  public void refused(OutboundMessage message, String reason) {
    if (message.turn() == null) {
      return;
    }
    switch (message.kind()) {
      case PROMPT -> {
        outcomes.notArrived(message.participantId(), message.turn());
        schedules.refused(message.participantId(), message.turn(), reason);
      }
      case CHECK_IN -> states.endFeedback(message.participantId());
      case REMINDER ->
          remindedOf(message, message.turn())
              .ifPresent(key -> schedules.notAsked(message.participantId(), key));
      case NUDGE -> states.notNudged(message.participantId());
      case REPLY,
          PROMPT_NOW,
          INTENSITY,
          STAFF,
          DEBUG,
          SCRIPTED,
          CHOSEN,
          STATUS,
          HELP,
          CONFIRMATION,
          NOTICE,
          CRISIS,
          CONSENT,
          ALERT -> {}
    }
  }
}
