package org.habitline.conversation;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import org.habitline.messaging.outbox.SendingHours;
import org.habitline.participants.Participant;
import org.habitline.timers.PromptTimes;

/** Applies the study's allowed hours on the participant's local clock. */
@Singleton
final class PromptHours implements SendingHours {

  private final PromptTimes times;
  private final Clock clock;

  PromptHours(PromptTimes times, Clock clock) {
    this.times = times;
    this.clock = clock;
  }

  @Override
  public Duration untilAllowed(Participant receiver) {
    var now = clock.instant();
    var local = now.atZone(receiver.zone());
    if (times.allowed().allow(local.toLocalTime())) {
      return Duration.ZERO;
    }
    return Duration.between(now, times.allowed().nextStart(local).toInstant());
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
