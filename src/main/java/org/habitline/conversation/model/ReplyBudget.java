package org.habitline.conversation.model;

import java.util.Optional;
import org.habitline.messaging.outbox.Encoding;
import org.habitline.messaging.outbox.SmsSplitter;
import org.habitline.participants.ChannelKind;

/**
 * Limits how many SMS segments the reply of a turn may take. Other channels are not charged by
 * length.
 *
 * @param most segments; 0 for no limit
 */
record ReplyBudget(ChannelKind channel, int most) {

  /** Returns what the model is told about the length before it writes, if length matters. */
  Optional<String> told() {
    if (!channel.chargesByLength()) {
      return Optional.empty();
    }
    return Optional.of(
        "Length: this is SMS; keep within %d characters".formatted(Encoding.GSM_7.room(1))
            + (most == 0
                ? "."
                : ", never over %d, or %d with an emoji."
                    .formatted(Encoding.GSM_7.room(most), Encoding.UCS_2.room(most))));
  }

  boolean allows(String text) {
    return !channel.chargesByLength() || most == 0 || segments(text) <= most;
  }

  int segments(String text) {
    return SmsSplitter.segments(channel, text);
  }

  /**
   * Returns the text that takes fewer segments, or the one with fewer characters if they are equal.
   */
  String shorter(String one, String other) {
    var difference = segments(one) - segments(other);
    if (difference == 0) {
      return one.length() <= other.length() ? one : other;
    }
    return difference < 0 ? one : other;
  }

  /** Returns the instruction to write a shorter reply. */
  String hint(String tooLong) {
    var plain =
        SmsSplitter.of(channel, tooLong).stream()
            .allMatch(part -> part.encoding() == Encoding.GSM_7);
    var room = (plain ? Encoding.GSM_7 : Encoding.UCS_2).room(most);
    return "Your last answer is too long for text messages and was not sent. Write it again in at most "
        + room
        + " characters"
        + (plain ? ". " : ", without emoji. ")
        + "Keep what matters most, and do not mention that it was shortened.";
  }
}
