package org.habitline.conversation.wakeups;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.util.Optional;
import org.habitline.conversation.stored.Claim;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantStatus;
import org.habitline.timers.PromptTimes;
import org.habitline.timers.Wakeup;

/** The guards that several kinds of wake-ups share. Writes nothing. */
@Singleton
final class WakeupGuards {

  private final PromptTimes times;
  private final Clock clock;

  WakeupGuards(PromptTimes times, Clock clock) {
    this.times = times;
    this.clock = clock;
  }

  /** Why the line may not text a participant without being asked, if it may not. */
  static Optional<String> whyNotTexted(Participant participant) {
    if (participant.optedOut()) {
      return Optional.of("the participant opted out");
    }
    return participant.status() == ParticipantStatus.ACTIVE
        ? Optional.empty()
        : Optional.of("the participant is " + participant.status().word());
  }

  /** Nobody is texted at night, about what was hours ago, or during a takeover. */
  Optional<String> whyNotNow(DueWakeup due) {
    var now = clock.instant();
    return due.claim()
        .state()
        .staff()
        .mutes(now)
        .or(() -> whyTooLate(due.wakeup()))
        .or(() ->
            mayText(due.claim(), now) ? Optional.empty() : Optional.of(outside(due.claim(), now)));
  }

  /** Why a wake-up rang too late for what it is for, if it did. */
  Optional<String> whyTooLate(Wakeup wakeup) {
    return Duration.between(wakeup.dueAt(), clock.instant()).compareTo(times.maxLateness()) > 0
        ? Optional.of("it was more than %s late".formatted(words(times.maxLateness())))
        : Optional.empty();
  }

  /** Whether the participant may be texted at this instant: the simulator may always. */
  boolean mayText(Claim claim, Instant now) {
    return !claim.participant().channel().needsHours() || times.allowed().allow(local(claim, now));
  }

  /** Returns a sentence that an instant lies outside the allowed hours. */
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
