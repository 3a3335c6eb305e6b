package org.habitline.conversation.wakeups;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Instant;
import java.util.Set;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.JdbcStates;
import org.habitline.conversation.turn.Closing;
import org.habitline.conversation.turn.WakeupAction;
import org.habitline.flows.Nudge;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.outbox.SendingHours;
import org.habitline.storage.Transactions;
import org.habitline.timers.Timers;
import org.habitline.timers.WakeupKind;

/**
 * Nudges a participant who has been silent in a module, once in each module. If they stay silent,
 * or fall silent again, they are shown to staff as stuck. A nudge that falls outside the allowed
 * hours waits for them.
 */
@Singleton
final class NudgeTurn implements WakeupTurn {

  private final WakeupGuards guards;
  private final Inbox inbox;
  private final JdbcStates states;
  private final SendingHours hours;
  private final Timers timers;
  private final Transactions transactions;
  private final Clock clock;

  NudgeTurn(
      WakeupGuards guards,
      Inbox inbox,
      JdbcStates states,
      SendingHours hours,
      Timers timers,
      Transactions transactions,
      Clock clock) {
    this.guards = guards;
    this.inbox = inbox;
    this.states = states;
    this.hours = hours;
    this.timers = timers;
    this.transactions = transactions;
    this.clock = clock;
  }

  @Override
  public Set<WakeupKind> kinds() {
    return Set.of(WakeupKind.NUDGE);
  }

  @Override
  public Closing close(DueWakeup due) {
    var claim = due.claim();
    var id = claim.participant().id();
    var module = claim.pinned().module();
    var nudge = due.flow().module(module).flatMap(it -> it.silence());
    if (nudge.isEmpty()) {
      return due.drop("the module " + module + " has no nudge");
    }
    if (inbox.saysSomething(id)) {
      return due.drop("a text is waiting for a reply");
    }
    if (!claim.state().schedules().agenda().planned().isEmpty()) {
      return due.drop("daily prompts are scheduled");
    }
    var now = clock.instant();
    var muted = claim.state().staff().mutes(now);
    if (muted.isPresent()) {
      return due.drop(muted.get(), again(now.plus(nudge.get().after())));
    }
    if (transactions.read(() -> states.isNudged(id, module)) > 0) {
      return due.drop(
          "the participant was nudged before and is shown to staff as stuck", this::stuck);
    }
    if (!guards.mayText(due, now)) {
      return due.drop(
          guards.outside(claim, now) + "; the nudge waits for them",
          again(now.plus(hours.untilAllowed(claim.participant()))));
    }
    return due.say(nudge.get().text(), OutboundKind.NUDGE, new Nudged(module, nudge.get()));
  }

  private boolean stuck(Claim claim) {
    states.stuck(claim.participant().id(), clock.instant());
    return true;
  }

  private WakeupAction again(Instant at) {
    return claim -> {
      plan(claim, at);
      return true;
    };
  }

  private void plan(Claim claim, Instant at) {
    var participant = claim.participant();
    timers.plan(new Timers.Plan(participant.id(), WakeupKind.NUDGE, at, participant.zone(), ""));
  }

  /** Records the nudge, and looks again after as long a silence. */
  private final class Nudged implements WakeupAction {
    private final String module;
    private final Nudge nudge;

    Nudged(String module, Nudge nudge) {
      this.module = module;
      this.nudge = nudge;
    }

    @Override
    public boolean carryOut(Claim claim) {
      states.nudged(claim.participant().id(), module, clock.instant());
      plan(claim, clock.instant().plus(nudge.after()));
      return true;
    }

    @Override
    public WakeupAction takenOver(String reason) {
      return again(clock.instant().plus(nudge.after()));
    }
  }
}
