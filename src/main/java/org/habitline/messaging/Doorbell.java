package org.habitline.messaging;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.function.BiConsumer;
import org.habitline.participants.ChannelKind;

/**
 * Tells the loops of this process what was just committed, so that they need not wait for their
 * next look. Whoever rings knows nobody who hears it; before the line is open nobody does. Safe for
 * any number of threads.
 */
@Singleton
public final class Doorbell {

  private volatile BiConsumer<String, Duration> inbox = (participantId, quiet) -> {};
  private volatile BiConsumer<String, ChannelKind> outbox = (participantId, channel) -> {};

  /** From now on this is told who has something in the inbox, and after how long to look. */
  public void tellOfInbox(BiConsumer<String, Duration> listener) {
    inbox = listener;
  }

  /** From now on this is told for whom a text was planned, and on which channel. */
  public void tellOfOutbox(BiConsumer<String, ChannelKind> listener) {
    outbox = listener;
  }

  /** Something of the participant came into the inbox; it is to be looked at after this time. */
  public void came(String participantId, Duration quiet) {
    inbox.accept(participantId, quiet);
  }

  /** A text to the participant was planned on this channel. */
  public void planned(String participantId, ChannelKind channel) {
    outbox.accept(participantId, channel);
  }
}
