package org.habitline.messaging.inbox;

import java.time.Instant;
import org.habitline.participants.ChannelKind;
import org.jspecify.annotations.Nullable;

/** Something that needs a turn. Only texts are merged, and only with texts. */
public sealed interface Input {

  /** Returns the sequence number of its inbox row. */
  long seq();

  /** Returns the channel it came by, which a reply uses. */
  ChannelKind channel();

  /**
   * The participant sent a text.
   *
   * @param receivedAt study time
   * @param incidentId the safety incident that it belongs to, or {@code null}; no model sees such a
   *     text
   */
  record Said(
      long seq,
      String text,
      @Nullable ConsentKeyword wish,
      ChannelKind channel,
      Instant receivedAt,
      @Nullable String incidentId)
      implements Input {

    /** Creates an ordinary text. */
    public Said(
        long seq,
        String text,
        @Nullable ConsentKeyword wish,
        ChannelKind channel,
        Instant receivedAt) {
      this(seq, text, wish, channel, receivedAt, null);
    }
  }

  /** The participant was just enrolled and expects a greeting. */
  record Enrolled(long seq, ChannelKind channel) implements Input {}

  /**
   * Staff, or a requested prompt, wants a message sent to the participant.
   *
   * @param requestId the id of the request
   */
  record StaffAsked(long seq, String requestId, ChannelKind channel) implements Input {}

  /** A scheduled wake-up is due. */
  record Woke(long seq, String wakeupId, ChannelKind channel) implements Input {}
}
