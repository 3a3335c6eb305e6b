package org.habitline.conversation;

import java.util.Optional;
import org.habitline.messaging.OutboundKind;
import org.habitline.participants.ParticipantStatus;

/**
 * A text that a turn sends.
 *
 * @param statusSent for the one text that says the participant is paused or done: that status
 */
record Say(String text, OutboundKind kind, Optional<String> statusSent) {

  /** Who speaks, as the transcript has it: the line, or staff through a script of theirs. */
  String author() {
    return kind == OutboundKind.SCRIPTED || kind == OutboundKind.CHOSEN ? "staff" : "bot";
  }

  static Say reply(String text) {
    return new Say(text, OutboundKind.REPLY, Optional.empty());
  }

  static Say of(String text, OutboundKind kind) {
    return new Say(text, kind, Optional.empty());
  }

  static Say status(String text, ParticipantStatus status) {
    return new Say(text, OutboundKind.STATUS, Optional.of(status.word()));
  }
}
