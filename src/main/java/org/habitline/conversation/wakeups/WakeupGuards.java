package org.habitline.conversation.wakeups;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.util.Optional;
import org.habitline.conversation.stored.Claim;
import org.habitline.messaging.ConsentGate;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantStatus;
import org.habitline.timers.PromptTimes;
import org.habitline.timers.Wakeup;

/** Checks shared by several kinds of wake-ups. Writes nothing. */
@Singleton
final class WakeupGuards {

  private final ConsentGate consents;
  private final PromptTimes times;
  private final Clock clock;

  WakeupGuards(ConsentGate consents, PromptTimes times, Clock clock) {
    this.consents = consents;
    this.times = times;
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
        .or(() ->
            mayText(due.claim(), now) ? Optional.empty() : Optional.of(outside(due.claim(), now)));
  }

  /** Returns why a wake-up is too late to be useful, or empty if it is not. */
  Optional<String> whyTooLate(Wakeup wakeup) {
    return Duration.between(wakeup.dueAt(), clock.instant()).compareTo(times.maxLateness()) > 0
        ? Optional.of("it was more than %s late".formatted(words(times.maxLateness())))
        : Optional.empty();
  }

  /** Returns whether the participant may be messaged at this instant; the simulator always may. */
  boolean mayText(Claim claim, Instant now) {
    return !claim.participant().channel().needsHours() || times.allowed().allow(local(claim, now));
  }

  /** Returns a sentence that says that an instant is outside the allowed hours. */
  String outside(Claim claim, Instant now) {
    return "it was %tR for the participant, outside the allowed hours %s"
        .formatted(local(claim, now), times.allowed().text());
  }

  private static LocalTime local(Claim claim, Instant now) {
    return now.atZone(claim.participant().zone()).toLocalTime();
  }

  private static String words(Duration duration) {
    return duration.toMinutes() % 60 == 0
        ? duration.toHours() + " h"
        : duration.toMinutes() + " min";
  }
}
