package org.habitline.conversation.rules;

import jakarta.inject.Singleton;
import java.util.List;
import org.habitline.conversation.stored.StateKeys;
import org.habitline.conversation.turn.DraftMessage;
import org.habitline.flows.FlowTexts;
import org.habitline.participants.ParticipantStatus;
import org.jspecify.annotations.Nullable;

/** Tells participants once that they are paused or done; the coach replies to active ones only. */
@Singleton
final class StatusRule implements BeforeTheCoach {

  @Override
  public Place place() {
    return Place.STATUS;
  }

  @Override
  public Ruling look(Heard heard) {
    var status = heard.claim().participant().status();
    if (status == ParticipantStatus.ACTIVE) {
      return Ruling.PASS;
    }
    var text = text(status, heard.flow().texts());
    var told = status.word().equals(heard.claim().data().get(StateKeys.STATUS_TEXT_SENT));
    return Ruling.notForTheCoach(
        text == null || told ? List.of() : List.of(DraftMessage.status(text, status)),
        "the participant is " + status.word());
  }

  private static @Nullable String text(ParticipantStatus status, FlowTexts texts) {
    return switch (status) {
      case PAUSED -> texts.paused();
      case COMPLETED -> texts.completed();
      case ACTIVE, WITHDRAWN -> null;
    };
  }
}
