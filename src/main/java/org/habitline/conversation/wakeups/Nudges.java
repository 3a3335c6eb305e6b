package org.habitline.conversation.wakeups;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Instant;
import org.habitline.conversation.stored.JdbcTurns;
import org.habitline.flows.FlowCatalog;
import org.habitline.flows.FlowModule;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantListener;
import org.habitline.timers.PromptTimes;
import org.habitline.timers.Timers;
import org.habitline.timers.WakeupKind;

/**
 * Plans the nudge of a participant: after a message of the coach, and when they come back from a
 * pause or a STOP, which cancelled it. All methods join the running transaction.
 */
@Singleton
final class Nudges implements ParticipantListener {

  private final FlowCatalog flows;
  private final Timers timers;
  private final PromptTimes times;
  private final JdbcTurns turns;
  private final Clock clock;

  Nudges(FlowCatalog flows, Timers timers, PromptTimes times, JdbcTurns turns, Clock clock) {
    this.flows = flows;
    this.timers = timers;
    this.times = times;
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
      plan(participant, turns.silence(participant.id(), Integer.MAX_VALUE));
    }
  }

  /** Plans the nudge of the participant's module, in the allowed hours, if their silence lasts. */
  void plan(Participant participant, JdbcTurns.Silence silence) {
    var module = silence.module();
    if (!participant.mayBeTexted() || !silence.lasts() || module == null) {
      return;
    }
    flows
        .flow(participant.flow())
        .flatMap(flow -> flow.module(module))
        .flatMap(FlowModule::silence)
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
