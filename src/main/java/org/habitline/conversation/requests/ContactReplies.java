package org.habitline.conversation.requests;

import jakarta.inject.Singleton;
import java.time.Clock;
import org.habitline.conversation.stored.JdbcStates;
import org.habitline.conversation.stored.StateKeys;
import org.habitline.messaging.inbox.ContactTexts;
import org.habitline.participants.Participant;

/**
 * Tells which texts of contacts are replies to an open choice; all others are handled as texts from
 * unknown senders.
 */
@Singleton
final class ContactReplies implements ContactTexts {

  private final JdbcStates states;
  private final JdbcRequestedPrompts scripts;
  private final Clock clock;

  ContactReplies(JdbcStates states, JdbcRequestedPrompts scripts, Clock clock) {
    this.states = states;
    this.scripts = scripts;
    this.clock = clock;
  }

  @Override
  public boolean answers(Participant contact, String body) {
    return contact.contact()
        && !contact.optedOut()
        && states
            .datum(contact.id(), StateKeys.OPEN_BRANCH)
            .map(OpenBranch::read)
            .flatMap(branch -> branch.choice(body, clock.instant()))
            .isPresent();
  }

  @Override
  public void unclaimed(Participant contact, String body) {
    if (contact.contact()) {
      scripts.hear(contact.id(), contact.phone().e164(), body, clock.instant());
    }
  }
}
