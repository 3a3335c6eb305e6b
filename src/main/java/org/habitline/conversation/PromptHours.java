package org.habitline.conversation;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.habitline.messaging.inbox.InboxReader;
import org.habitline.messaging.outbox.SendingHours;
import org.habitline.participants.Participant;
import org.habitline.timers.PromptTimes;

/**
 * Applies the study's allowed hours on the participant's local clock. Participants who are awake
 * may be messaged outside them too.
 */
@Singleton
final class PromptHours implements SendingHours {

  /** Participants who wrote within this time are assumed to be awake. */
  private static final Duration AWAKE = Duration.ofHours(1);

  private final InboxReader inbox;
  private final PromptTimes times;
  private final Clock clock;

  PromptHours(InboxReader inbox, PromptTimes times, Clock clock) {
    this.inbox = inbox;
    this.times = times;
    this.clock = clock;
  }

  @Override
  public Duration untilAllowed(Participant receiver) {
    var now = clock.instant();
    return until(receiver, now, times.allowed().allow(now, receiver.zones()));
  }

  @Override
  public Duration untilPromptAllowed(Participant receiver) {
    var now = clock.instant();
    return until(receiver, now, times.allowed().allowPrompt(now, receiver.zones()));
  }

  private Duration until(Participant receiver, Instant now, boolean allowed) {
    return allowed || isAwake(receiver, now)
        ? Duration.ZERO
        : Duration.between(now, times.allowed().nextStart(now, receiver.zones()));
  }

  private boolean isAwake(Participant receiver, Instant now) {
    return inbox
        .lastReceived(receiver.id())
        .filter(said -> said.plus(AWAKE).isAfter(now))
        .isPresent();
  }

  @Override
  public Duration untilNextDay(Participant receiver) {
    var now = clock.instant();
    var midnight =
        now.atZone(receiver.zone()).toLocalDate().plusDays(1).atStartOfDay(receiver.zone());
    var begins =
        times.allowed().allow(midnight.toLocalTime())
            ? midnight
            : times.allowed().nextStart(midnight);
    return Duration.between(now, begins.toInstant());
  }
}
