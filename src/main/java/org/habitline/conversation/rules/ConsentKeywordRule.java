package org.habitline.conversation.rules;

import jakarta.inject.Singleton;
import java.util.ArrayList;
import org.habitline.conversation.turn.DraftMessage;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.inbox.ConsentKeyword;

/**
 * Replies to HELP, confirms an opt-out in free words once, and keeps the coach from participants
 * who opted out.
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
    var texts = new ArrayList<DraftMessage>();
    if (heard.says(ConsentKeyword.HELP)) {
      texts.add(DraftMessage.of(heard.flow().texts().help(), OutboundKind.HELP));
    }
    if (heard.says(ConsentKeyword.REVOKE) && optedOut) {
      texts.add(
          DraftMessage.of(heard.flow().texts().optOutConfirmation(), OutboundKind.CONFIRMATION));
    }
    return optedOut ? Ruling.notForTheCoach(texts, "the participant opted out") : Ruling.say(texts);
  }
}
