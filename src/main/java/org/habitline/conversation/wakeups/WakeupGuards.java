package org.habitline.conversation.wakeups;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.habitline.conversation.stored.Claim;
import org.habitline.messaging.ConsentGate;
import org.habitline.messaging.Restored;
import org.habitline.messaging.inbox.Input;
import org.habitline.messaging.outbox.SendingHours;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantStatus;
import org.habitline.timers.PromptTimes;
import org.habitline.timers.Wakeup;

/** Checks shared by several kinds of wake-ups. Writes nothing. */
@Singleton
final class WakeupGuards {

  private final ConsentGate consents;
  private final SendingHours hours;
  private final PromptTimes times;
  private final Restored restored;
  private final Clock clock;

  WakeupGuards(
      ConsentGate consents, SendingHours hours, PromptTimes times, Restored restored, Clock clock) {
    this.consents = consents;
    this.hours = hours;
    this.times = times;
    this.restored = restored;
    this.clock = clock;
  }

  /** Returns why a participant may not be messaged unprompted, or empty if they may. */
  static Optional<String> whyNotTexted(Participant participant) {
    if (participant.optedOut()) {
      return Optional.of("the participant opted out");
    }
    return participant.status() == ParticipantStatus.ACTIVE
        ? Optional.empty()
        : Optional.of("the participant is " + participant.status().word());
  }

  /** Returns why the coach may not write to a participant: consent is missing. */
  Optional<String> whyNotCoached(Participant participant) {
    return consents.whyNotCoached(participant);
  }

  /**
   * Returns why nothing may be sent now: missing consent, a takeover, a wake-up that is too late,
   * or a time outside the allowed hours.
   */
  Optional<String> whyNotNow(DueWakeup due) {
    var now = clock.instant();
    return whyNotCoached(due.claim().participant())
        .or(() -> due.claim().state().staff().mutes(now))
        .or(() -> whyTooLate(due.wakeup()))
        .or(() -> mayText(due, now) ? Optional.empty() : Optional.of(outside(due.claim(), now)));
  }

  /** Returns why a wake-up is too late to be useful, or empty if it is not. */
  Optional<String> whyTooLate(Wakeup wakeup) {
    if (isSkipped(wakeup)) {
      return Optional.of(Restored.REASON);
    }
    return Duration.between(wakeup.dueAt(), clock.instant()).compareTo(times.maxLateness()) > 0
        ? Optional.of("it was more than %s late".formatted(words(times.maxLateness())))
        : Optional.empty();
  }

  /** Returns why a request is not carried out: it waited in a restored backup and is skipped. */
  Optional<String> whySkipped(Input asked) {
    return restored.skipsFound(asked.seq()) ? Optional.of(Restored.REASON) : Optional.empty();
  }

  /** Returns whether staff decided to skip what was due in a restored backup. */
  boolean isSkipped(Wakeup wakeup) {
    return restored.skipsDue(wakeup.dueAt());
  }

  /**
   * Returns whether the message of a wake-up may be sent at this instant. What follows a silence
   * comes in the allowed hours only, on every channel, or while the participant is awake.
   */
  boolean mayText(DueWakeup due, Instant now) {
    return switch (due.wakeup().kind()) {
      case REMINDER, CHECK_IN, FOLLOW_UP, NUDGE ->
          hours.untilAllowed(due.claim().participant()).isZero();
      case DAILY_PROMPT, AUTO_FEEDBACK, TRANSITION, HAND_BACK, RETRY, ZONE_MOVE, SCRIPTED ->
          mayText(due.claim(), now);
    };
  }

  /**
   * Returns whether the participant may be messaged at this instant, whether they are awake or not;
   * a simulated phone always may.
   */
  boolean mayText(Claim claim, Instant now) {
    return !claim.participant().channel().needsHours()
        || times.allowed().allowPrompt(now, claim.participant().zones());
  }

  /**
   * Returns when a reply to an older text may go out, if it must wait: it is outside the allowed
   * hours, and the participant may be asleep.
   */
  Optional<Instant> repliesLater(Claim claim) {
    var now = clock.instant();
    var pause = hours.untilAllowed(claim.participant());
    return mayText(claim, now) || !pause.isPositive()
        ? Optional.empty()
        : Optional.of(now.plus(pause));
  }

  /** Returns a sentence that says that an instant is outside the allowed hours. */
  String outside(Claim claim, Instant now) {
    var local =
        claim.participant().zones().at(now).stream()
            .map(zone -> now.atZone(zone).toLocalTime())
            .filter(time -> !times.allowed().allow(time))
            .findFirst()
            .orElseGet(() -> now.atZone(claim.participant().zone()).toLocalTime());
    return "it was %tR for the participant, outside the allowed hours %s"
        .formatted(local, times.allowed().text());
  }

  /** Returns the reason for a reply that waits for the allowed hours. */
  String repliesInHours(Claim claim) {
    return outside(claim, clock.instant()) + "; the coach replies within the allowed hours";
  }

  private static String words(Duration duration) {
    return duration.toMinutes() % 60 == 0
        ? duration.toHours() + " h"
        : duration.toMinutes() + " min";
  }
}
