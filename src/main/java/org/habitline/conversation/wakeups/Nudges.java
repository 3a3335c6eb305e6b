package org.habitline.conversation.wakeups;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Instant;
import org.habitline.conversation.stored.JdbcStates;
import org.habitline.conversation.stored.JdbcTurns;
import org.habitline.conversation.stored.StateKeys;
import org.habitline.flows.FlowCatalog;
import org.habitline.flows.FlowModule;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantListener;
import org.habitline.timers.PromptTimes;
import org.habitline.timers.Schedules;
import org.habitline.timers.Timers;
import org.habitline.timers.WakeupKind;

/**
 * Plans the nudge of a participant: after a message of the coach, and when they come back from a
 * pause or a STOP, which cancelled it. All methods join the running transaction.
 */
@Singleton
final class Nudges implements ParticipantListener {

  private final FlowCatalog flows;
  private final Schedules schedules;
  private final Timers timers;
  private final PromptTimes times;
  private final JdbcStates states;
  private final JdbcTurns turns;
  private final Clock clock;

  Nudges(
      FlowCatalog flows,
      Schedules schedules,
      Timers timers,
      PromptTimes times,
      JdbcStates states,
      JdbcTurns turns,
      Clock clock) {
    this.flows = flows;
    this.schedules = schedules;
    this.timers = timers;
    this.times = times;
    this.states = states;
    this.turns = turns;
    this.clock = clock;
  }

  @Override
  public void updated(Participant before, Participant after) {
    if (!before.mayBeTexted() && after.mayBeTexted()) {
      planAgain(after);
    }
  }

  @Override
  public void optedIn(Participant participant) {
    planAgain(participant);
  }

  /** Whom the coach has not written to yet has nothing to be silent about. */
  private void planAgain(Participant participant) {
    if (turns.coached(participant.id()) > 0) {
      plan(participant);
    }
  }

  /**
   * Plans the nudge of the participant's module, in the allowed hours, unless daily prompts reach
   * them anyway.
   */
  void plan(Participant participant) {
    if (!participant.mayBeTexted()) {
      return;
    }
    flows
        .flow(participant.flow())
        .flatMap(flow ->
            states.datum(participant.id(), StateKeys.CONVERSATION_STATE).flatMap(flow::module))
        .flatMap(FlowModule::silence)
        .filter(nudge -> schedules.standing(participant).agenda().planned().isEmpty())
        .ifPresent(nudge ->
            timers.plan(
                new Timers.Plan(
                    participant.id(),
                    WakeupKind.NUDGE,
                    inHours(participant, clock.instant().plus(nudge.after())),
                    participant.zone(),
                    "")));
  }

  private Instant inHours(Participant participant, Instant due) {
    var allowed = times.allowed();
    return allowed.allow(due, participant.zones())
        ? due
        : allowed.nextStart(due, participant.zones());
  }
}
