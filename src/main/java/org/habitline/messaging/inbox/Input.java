package org.habitline.messaging.inbox;

import java.time.Instant;
import org.habitline.participants.ChannelKind;
import org.jspecify.annotations.Nullable;

/** Something that happened and wants a turn. Only texts merge with texts. */
public sealed interface Input {

  /** The inbox row it stands in. */
  long seq();

  /** The channel it came by, which an answer uses. */
  ChannelKind channel();

  /**
   * The participant wrote a text.
   *
   * @param receivedAt study time
   */
  record Said(
      long seq, String text, @Nullable ConsentKeyword wish, ChannelKind channel, Instant receivedAt)
      implements Input {}

  /** The participant was just enrolled and expects a greeting. */
  record Enrolled(long seq, ChannelKind channel) implements Input {}

  /**
   * Staff, or a script of theirs, wants the participant to be texted.
   *
   * @param requestId what is wanted
   */
  record StaffAsked(long seq, String requestId, ChannelKind channel) implements Input {}

  /** An instant came that somebody waited for. */
  record Woke(long seq, String wakeupId, ChannelKind channel) implements Input {}
}
