package org.habitline.conversation.rules;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.List;
import org.habitline.conversation.requests.OpenBranch;
import org.habitline.conversation.stored.Claim;

/**
 * Sends the message of the option that a participant chose from a requested prompt. Scripts act for
 * staff: during a takeover it is sent too, if the participant wrote nothing else.
 */
@Singleton
final class OpenChoiceRule implements BeforeTheCoach {

  private final Clock clock;

  OpenChoiceRule(Clock clock) {
    this.clock = clock;
  }

  @Override
  public Place place() {
    return Place.OPEN_CHOICE;
  }

  @Override
  public Ruling look(Heard heard) {
    var claim = heard.claim();
    var chosen = OpenBranch.chosen(claim);
    if (chosen.isEmpty()) {
      return Ruling.PASS;
    }
    var texts = List.of(chosen.get());
    if (saysNothingElse(claim)) {
      return Ruling.notForTheCoach(texts, "the participant chose an option of a branch prompt");
    }
    return claim.state().staff().mutes(clock.instant()).isPresent()
        ? Ruling.PASS
        : Ruling.say(texts);
  }

  private static boolean saysNothingElse(Claim claim) {
    var branch = OpenBranch.in(claim.data()).orElseThrow();
    return claim.said().stream()
        .filter(said -> said.wish() == null)
        .allMatch(said -> branch.choice(said).isPresent());
  }
}
