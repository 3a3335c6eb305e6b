package org.habitline.staff;

import io.micronaut.http.HttpStatus;
import jakarta.inject.Singleton;
import org.habitline.messaging.Acceptance;
import org.habitline.messaging.Inbox;
import org.habitline.messaging.IncomingText;
import org.habitline.messaging.PlainText;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Ids;
import org.habitline.participants.Participant;
import org.jspecify.annotations.Nullable;

/** Takes texts from simulated phones to the inbox, as a provider takes them from real ones. */
@Singleton
final class PhoneDesk {

  private static final int LONGEST_ID = 64;

  private final Inbox inbox;

  PhoneDesk(Inbox inbox) {
    this.inbox = inbox;
  }

  /** Returns {@code stored} or {@code repeated}. */
  String text(Participant participant, @Nullable String text, @Nullable String id) {
    if (participant.channel() != ChannelKind.SIMULATOR) {
      throw bad(
          "This participant's channel is "
              + participant.channel().word()
              + "; only the simulator has a simulated phone.");
    }
    if (text == null || PlainText.storable(text).isBlank()) {
      throw bad("text: blank; write what the participant says.");
    }
    if (text.length() > Inbox.LONGEST_TEXT) {
      throw bad("text: too long; at most " + Inbox.LONGEST_TEXT + " characters are accepted.");
    }
    if (id != null
        && (id.isBlank() || id.length() > LONGEST_ID || !PlainText.storable(id).equals(id))) {
      throw bad("id: expected 1 to " + LONGEST_ID + " characters of plain text, or none.");
    }
    var given = id == null ? Ids.next("sim") : "sim_" + participant.id() + "_" + id;
    return switch (inbox.accept(
        new IncomingText(given, participant.phone(), ChannelKind.SIMULATOR, text))) {
      case Acceptance.Stored stored -> "stored";
      case Acceptance.Repeated repeated -> "repeated";
      case Acceptance.UnknownSender unknown ->
          throw new ApiProblem(HttpStatus.NOT_FOUND, "There is no participant with this id.");
    };
  }

  private static ApiProblem bad(String sentence) {
    return new ApiProblem(HttpStatus.BAD_REQUEST, sentence);
  }
}
