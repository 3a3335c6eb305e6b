package org.habitline.messaging.inbox;

import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.habitline.participants.ChannelKind;
import org.habitline.storage.Transactions;

/** Reads the inbox for callers that do not handle it; {@link Inbox} writes it. */
@Singleton
public final class InboxReader {

  private final JdbcInbox rows;
  private final Transactions transactions;

  InboxReader(JdbcInbox rows, Transactions transactions) {
    this.rows = rows;
    this.transactions = transactions;
  }

  /** Returns our RCS agents: senders that texts came to and that no setting names. */
  public List<String> agents() {
    return transactions.read(() -> rows.agents());
  }

  /** Returns when the newest text from a provider was stored, or empty before the first. */
  public Optional<Instant> newestFromProviders() {
    return transactions.read(() -> rows.newestFromProviders());
  }

  /** Returns the id of the wake-up that a turn handled, or empty if it handled something else. */
  public Optional<String> wakeupOf(String participantId, int turn) {
    return transactions.read(() -> rows.wakeupOf(participantId, turn));
  }

  /** Returns when the newest text of a participant on a channel was stored. */
  public Optional<Instant> lastStored(String participantId, ChannelKind channel) {
    return transactions.read(() -> rows.lastStored(participantId, channel));
  }

  /**
   * Returns when the newest text of a participant came, in study time, or empty before the first.
   */
  public Optional<Instant> lastReceived(String participantId) {
    return transactions.read(() -> rows.lastReceived(participantId));
  }

  /**
   * Returns the sender of ours that a participant's last text on a channel came to, if it was not
   * the default one.
   */
  public Optional<String> cameTo(String participantId, ChannelKind channel) {
    return transactions
        .read(() -> rows.cameTo(participantId, channel))
        .filter(sender -> !sender.isEmpty());
  }
}
