package org.habitline.messaging.outbox;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.habitline.messaging.Channels;
import org.habitline.participants.ChannelKind;
import org.habitline.storage.Transactions;

/** The queues of the senders that have a maximum pace. */
@Singleton
final class SenderQueues {

  private final Map<ChannelKind, SenderQueue> byKind = new EnumMap<>(ChannelKind.class);
  private volatile Consumer<String> signal = participantId -> {};

  SenderQueues(
      Channels channels,
      JdbcOutbox rows,
      Senders senders,
      SendingStop sendingStop,
      Transactions transactions,
      @Named("system") Clock systemClock) {
    channels
        .paced()
        .forEach(channel ->
            byKind.put(
                channel.kind(),
                new SenderQueue(
                    channel.kind(),
                    channel.pace().orElseThrow(),
                    rows,
                    senders,
                    transactions,
                    systemClock,
                    sendingStop::isHolding,
                    participantId -> signal.accept(participantId))));
  }

  /**
   * Starts releasing messages.
   *
   * @param signal called with every participant whose first message may be sent now
   */
  void start(Consumer<String> signal) {
    this.signal = signal;
    byKind.values().forEach(SenderQueue::start);
  }

  void stop() {
    byKind.values().forEach(SenderQueue::stop);
  }

  /** Wakes all queues after a message was sent or ended. */
  void nudge() {
    byKind.values().forEach(SenderQueue::nudge);
  }

  /** Returns the queue of a channel's sender, or empty if its messages need no queue. */
  Optional<SenderQueue> of(ChannelKind kind) {
    return Optional.ofNullable(byKind.get(kind));
  }
}
