package org.habitline.conversation.rules;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.List;
import org.habitline.conversation.stored.Outcome;

/** Leaves the reply to staff while they have taken the conversation over. */
@Singleton
final class TakeoverRule implements BeforeTheCoach {

  private final Clock clock;

  TakeoverRule(Clock clock) {
    this.clock = clock;
  }

  @Override
  public Place place() {
    return Place.TAKEOVER;
  }

  @Override
  public Ruling look(Heard heard) {
    return heard
        .claim()
        .state()
        .staff()
        .mutes(clock.instant())
        .map(reason -> new Ruling(List.of(), new End(Outcome.NOT_FOR_THE_COACH, reason, true)))
        .orElse(Ruling.PASS);
  }
}
