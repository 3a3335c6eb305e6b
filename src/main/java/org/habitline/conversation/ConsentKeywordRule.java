package org.habitline.conversation;

import jakarta.inject.Singleton;
import java.util.ArrayList;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.Wish;

/**
 * Answers HELP, confirms an opt-out in free words once, and keeps the coach from participants who
 * opted out.
 */
@Singleton
final class ConsentKeywordRule implements BeforeTheCoach {

  @Override
  public Place place() {
    return Place.CONSENT_KEYWORDS;
  }

  @Override
  public Ruling look(Heard heard) {
    var optedOut = heard.claim().participant().optedOut();
    var texts = new ArrayList<Say>();
    if (heard.says(Wish.HELP)) {
      texts.add(Say.of(heard.flow().texts().help(), OutboundKind.HELP));
    }
    if (heard.says(Wish.REVOKE) && optedOut) {
      texts.add(Say.of(heard.flow().texts().optOutConfirmation(), OutboundKind.CONFIRMATION));
    }
    return optedOut ? Ruling.notForTheCoach(texts, "the participant opted out") : Ruling.say(texts);
  }
}
