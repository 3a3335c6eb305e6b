package org.habitline.messaging;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.function.BiConsumer;
import org.habitline.participants.ChannelKind;

/**
 * Notifies the loops of this process about rows that were just committed, so that they need not
 * wait for their next poll. Callers do not know who listens; before the loops start, no one does.
 * Safe for any number of threads.
 */
@Singleton
public final class Doorbell {

  private volatile BiConsumer<String, Duration> inbox = (participantId, quiet) -> {};
  private volatile Planned outbox = (participantId, channel, urgent) -> {};

  /** A listener for planned messages. */
  @FunctionalInterface
  public interface Planned {

    /**
     * Called after a message was planned.
     *
     * @param urgent whether it goes ahead of all others
     */
    void planned(String participantId, ChannelKind channel, boolean urgent);
  }

  /** Sets the listener for new inbox rows: the participant, and how long to wait before looking. */
  public void tellOfInbox(BiConsumer<String, Duration> listener) {
    inbox = listener;
  }

  public void tellOfOutbox(Planned listener) {
    outbox = listener;
  }

  /** Notifies that an inbox row of the participant is to be looked at after this time. */
  public void came(String participantId, Duration quiet) {
    inbox.accept(participantId, quiet);
  }

  /** Notifies that a message to the participant was planned on this channel. */
  public void planned(String participantId, ChannelKind channel, boolean urgent) {
    outbox.planned(participantId, channel, urgent);
  }
}
