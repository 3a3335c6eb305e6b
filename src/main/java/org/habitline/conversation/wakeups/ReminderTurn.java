package org.habitline.conversation.wakeups;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.turn.Closing;
import org.habitline.conversation.turn.WakeupAction;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.outbox.SendingHours;
import org.habitline.timers.FollowUp;
import org.habitline.timers.Occurrence;
import org.habitline.timers.Schedules;
import org.habitline.timers.WakeupKind;

/**
 * Sends the one message that may follow a daily prompt: the reminder to a participant who has not
 * replied, or the question about the outcome if the prompt did not ask it. Both wait for the
 * allowed hours; the question also waits for the reply to a text, which ends the wait for a
 * reminder.
 */
@Singleton
final class ReminderTurn implements WakeupTurn {

  /** How long the question waits for the reply to a text. */
  private static final Duration AFTER_A_TEXT = Duration.ofMinutes(10);

  private final WakeupGuards guards;
  private final Inbox inbox;
  private final Schedules schedules;
  private final SendingHours hours;
  private final Clock clock;

  ReminderTurn(
      WakeupGuards guards, Inbox inbox, Schedules schedules, SendingHours hours, Clock clock) {
    this.guards = guards;
    this.inbox = inbox;
    this.schedules = schedules;
    this.hours = hours;
    this.clock = clock;
  }

  @Override
  public Set<WakeupKind> kinds() {
    return Set.of(WakeupKind.REMINDER);
  }

  @Override
  public Closing close(DueWakeup due) {
    var key = Occurrence.Key.read(due.wakeup().guard());
    var standing = due.claim().state().schedules();
    var prompt = standing.find(key).filter(Occurrence::pending);
    if (prompt.isEmpty() || !standing.isNewestPrompt(key)) {
      return due.drop("the daily prompt is no longer open");
    }
    var asks = prompt.get().askedAt() == null;
    var now = clock.instant();
    if (!guards.isSkipped(due.wakeup()) && inbox.saysSomething(due.claim().participant().id())) {
      var reason = "a text is waiting for a reply";
      return asks ? due.drop(reason, later(key, now.plus(AFTER_A_TEXT))) : due.drop(reason);
    }
    var daily = due.flow().dailyPrompt();
    if (daily == null) {
      return due.drop("the flow no longer has a daily prompt", notReminded(key));
    }
    if (guards.whyTooLate(due.wakeup()).isEmpty() && !guards.mayText(due, now)) {
      return due.drop(
          guards.outside(due.claim(), now)
              + (asks ? "; the question waits for them" : "; the reminder waits for them"),
          later(key, now.plus(hours.untilAllowed(due.claim().participant()))));
    }
    return guards
        .whyNotNow(due)
        .map(reason -> due.drop(reason, notReminded(key)))
        .orElseGet(() ->
            asks
                ? due.say(daily.question(), OutboundKind.REMINDER, new Reminded(key, true))
                : due.say(daily.reminder(), OutboundKind.REMINDER, new Reminded(key, false)));
  }

  private WakeupAction later(Occurrence.Key key, Instant at) {
    return claim -> {
      schedules.remindLater(claim.participant(), key, at);
      return true;
    };
  }

  private WakeupAction notReminded(Occurrence.Key key) {
    return claim -> {
      schedules.noMorePending(claim.participant().id(), key, FollowUp.LOST);
      return true;
    };
  }

  /** Ends the wait for a reply to the prompt. */
  private final class Reminded implements WakeupAction {
    private final Occurrence.Key key;
    private final boolean asks;

    /**
     * @param asks whether the message is the question about the outcome
     */
    Reminded(Occurrence.Key key, boolean asks) {
      this.key = key;
      this.asks = asks;
    }

    @Override
    public boolean carryOut(Claim claim) {
      var id = claim.participant().id();
      // Still due: it counts as sent once the provider accepts it.
      return asks ? schedules.asked(id, key) : schedules.noMorePending(id, key, FollowUp.DUE);
    }

    @Override
    public WakeupAction takenOver(String reason) {
      return notReminded(key);
    }
  }
}
