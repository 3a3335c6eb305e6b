package org.habitline.messaging.outbox;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.habitline.audit.Events;
import org.habitline.participants.ChannelKind;
import org.habitline.storage.Transactions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records which senders are stopped, because the provider accepts no messages from them while the
 * account or the sender is misconfigured. Their messages wait. One is tried from time to time, and
 * the first that is accepted releases the others. Shared by all nodes.
 */
@Singleton
public final class Senders {

  private static final Logger log = LoggerFactory.getLogger(Senders.class);

  /** How often one message of a stopped sender is tried. */
  static final Duration TRIED_EVERY = Duration.ofMinutes(5);

  /** How often one message is tried while the provider's daily limit is reached. */
  static final Duration FULL_TRIED_EVERY = Duration.ofHours(1);

  private final JdbcSenders rows;
  private final JdbcOutbox outbox;
  private final Events events;
  private final Transactions transactions;
  private final Clock systemClock;

  Senders(
      JdbcSenders rows,
      JdbcOutbox outbox,
      Events events,
      Transactions transactions,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.outbox = outbox;
    this.events = events;
    this.transactions = transactions;
    this.systemClock = systemClock;
  }

  /**
   * A stopped sender.
   *
   * @param code the provider's code, or another message from it
   * @param triedAt when one of its messages is tried again
   */
  public record Stopped(ChannelKind channel, String code, Instant since, Instant triedAt) {}

  public List<Stopped> stopped() {
    return transactions.read(() ->
        rows.stopped().stream()
            .map(row ->
                new Stopped(
                    row.channel(),
                    String.valueOf(row.stoppedCode()),
                    row.stoppedAt() == null ? Instant.EPOCH : row.stoppedAt(),
                    row.tryAt() == null ? Instant.EPOCH : row.tryAt()))
            .toList());
  }

  /** Makes one message due at once if the sender is stopped. */
  void tryNow(ChannelKind kind) {
    transactions.write(() -> {
      if (rows.tryNow(kind, systemClock.instant()) > 0) {
        waitNoLonger(kind);
      }
    });
  }

  private void waitNoLonger(ChannelKind kind) {
    var _ = outbox.waitNoLonger(kind);
  }

  /** Returns when a stopped sender may try a message next, or empty if it is not stopped. */
  Optional<Instant> triedAt(ChannelKind kind, Instant now) {
    var stopped = transactions.read(() -> rows.find(kind)).filter(row -> row.stoppedAt() != null);
    if (stopped.isPresent() && isProven(stopped.get(), now)) {
      transactions.write(() -> {
        works(kind);
      });
      return Optional.empty();
    }
    return stopped.map(row -> row.tryAt() == null ? now : row.tryAt());
  }

  /** Returns whether a stopped sender accepted a message and no failure came for a while. */
  private static boolean isProven(JdbcSenders.Row sender, Instant now) {
    return sender.takenAt() != null && !sender.takenAt().plus(TRIED_EVERY).isAfter(now);
  }

  /** Records that a message of a stopped sender is tried now; joins the running transaction. */
  void tried(ChannelKind kind) {
    rows.triedAgainAt(kind, systemClock.instant().plus(TRIED_EVERY));
  }

  /** Makes this node the one that releases a sender's messages until then; false if another is. */
  boolean hold(ChannelKind kind, String owner, Instant now, Instant until) {
    return transactions.write(() -> {
      if (rows.hold(kind, owner, until, now) > 0) {
        return true;
      }
      return rows.find(kind).isEmpty()
          && rows.insert(kind) > 0
          && rows.hold(kind, owner, until, now) > 0;
    });
  }

  /** Releases what a process that died held; joins the running transaction. */
  public void releaseAll() {
    rows.releaseAll();
  }

  void release(String owner) {
    transactions.write(() -> rows.release(owner));
  }

  /** Returns whether the sender is stopped. */
  boolean isStopped(ChannelKind kind) {
    return rows.find(kind).filter(row -> row.stoppedAt() != null).isPresent();
  }

  /**
   * Stops a sender from which the provider accepts no messages; joins the running transaction.
   *
   * @param byReport whether the provider accepted the message and reported the failure later
   * @param triedEvery the pause between tries of one message
   */
  void stop(ChannelKind kind, String code, boolean byReport, Duration triedEvery) {
    var now = systemClock.instant();
    var _ = rows.insert(kind);
    var known = rows.find(kind).filter(row -> code.equals(row.stoppedCode())).isPresent();
    rows.stop(kind, code, byReport, now, now.plus(triedEvery));
    if (!known) {
      events.emit("sender.stopped", null, Map.of("channel", kind.word(), "code", code));
      log.error(
          "The provider accepts no messages by {} ({}); all of them wait. Correct the"
              + " account, its token or the sender at the provider. One message is tried every {}"
              + " min; when it is accepted, the others follow",
          kind.word(),
          code,
          triedEvery.toMinutes());
    }
  }

  /**
   * Records that the provider accepted a message that was posted at this instant; joins the running
   * transaction. A message from before the stop says nothing about the present. If failures come as
   * reports, a message from after the stop proves nothing until no failure came for a while.
   */
  void took(ChannelKind kind, Instant posted) {
    if (rows.stoppedBefore(kind, posted) > 0 && rows.took(kind, systemClock.instant()) == 0) {
      works(kind);
    }
  }

  /**
   * Records that a message posted at this instant left the provider; joins the running transaction.
   * A message from before the stop says nothing about the present.
   */
  void left(ChannelKind kind, Instant posted) {
    if (rows.stoppedBefore(kind, posted) > 0) {
      works(kind);
    }
  }

  private void works(ChannelKind kind) {
    if (rows.works(kind) > 0) {
      waitNoLonger(kind);
      events.emit("sender.works", null, Map.of("channel", kind.word()));
      log.info(
          "The provider accepts messages by {} again; the waiting messages are being sent",
          kind.word());
    }
  }
}
