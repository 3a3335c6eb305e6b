package org.habitline.conversation.rules;

import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Optional;
import org.habitline.conversation.turn.DraftMessage;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.inbox.ConsentKeyword;
import org.habitline.protocol.StudyContact;
import org.habitline.protocol.StudyFile;

/**
 * Replies to HELP, with the study's contact, confirms an opt-out in free words once, and keeps the
 * coach from participants who opted out.
 */
@Singleton
final class ConsentKeywordRule implements BeforeTheCoach {

  private final Optional<StudyContact> contact;

  ConsentKeywordRule(StudyFile study) {
    this.contact = study.contact();
  }

  @Override
  public Place place() {
    return Place.CONSENT_KEYWORDS;
  }

  @Override
  public Ruling look(Heard heard) {
    var optedOut = heard.claim().participant().optedOut();
    var texts = new ArrayList<DraftMessage>();
    if (heard.says(ConsentKeyword.HELP)) {
      texts.add(DraftMessage.of(help(heard), OutboundKind.HELP));
    }
    if (heard.says(ConsentKeyword.REVOKE) && optedOut) {
      texts.add(
          DraftMessage.of(heard.flow().texts().optOutConfirmation(), OutboundKind.CONFIRMATION));
    }
    return optedOut ? Ruling.notForTheCoach(texts, "the participant opted out") : Ruling.say(texts);
  }

  /** Returns the flow's reply to HELP, followed by the person whom participants can reach. */
  private String help(Heard heard) {
    var text = heard.flow().texts().help();
    return contact.map(person -> text + "\n" + person.line()).orElse(text);
  }
}
