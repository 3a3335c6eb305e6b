package org.habitline.conversation.rules;

import jakarta.inject.Singleton;
import java.util.List;
import org.habitline.messaging.outbox.CoachingPause;

/**
 * Ends a turn without a word if one of the texts belongs to a crisis, or while a crisis of the
 * participant is not released: the fixed text went out when the text came, and people do the rest.
 */
@Singleton
final class SafetyRule implements BeforeTheCoach {

  @Override
  public Place place() {
    return Place.SAFETY;
  }

  @Override
  public Ruling look(Heard heard) {
    return heard.claim().isInDanger()
        ? Ruling.notForTheCoach(List.of(), CoachingPause.REASON)
        : Ruling.PASS;
  }
}
