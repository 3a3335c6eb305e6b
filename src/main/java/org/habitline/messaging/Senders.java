package org.habitline.messaging;

import io.micronaut.transaction.TransactionOperations;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.habitline.audit.Events;
import org.habitline.participants.ChannelKind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which senders the provider does not take texts from at present, because the account or the sender
 * is not in order. Their texts wait; one is tried now and then, and the first that is taken lets
 * the others go. Known to all nodes.
 */
@Singleton
public final class Senders {

  private static final Logger log = LoggerFactory.getLogger(Senders.class);

  /** While a sender is stopped, one of its texts is tried this often. */
  static final Duration TRIED_EVERY = Duration.ofMinutes(5);

  private final JdbcSenders rows;
  private final Events events;
  private final TransactionOperations<Connection> transactions;
  private final Clock systemClock;

  Senders(
      JdbcSenders rows,
      Events events,
      TransactionOperations<Connection> transactions,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.events = events;
    this.transactions = transactions;
    this.systemClock = systemClock;
  }

  /**
   * A sender that is stopped.
   *
   * @param code the provider's code, or what else it said
   * @param triedAt when one of its texts is tried again
   */
  public record Stopped(String channel, String code, Instant since, Instant triedAt) {}

  public List<Stopped> stopped() {
    return transactions.executeRead(status ->
        rows.stopped().stream()
            .map(row ->
                new Stopped(
                    row.channel(),
                    String.valueOf(row.stoppedCode()),
                    row.stoppedAt() == null ? Instant.EPOCH : row.stoppedAt(),
                    row.tryAt() == null ? Instant.EPOCH : row.tryAt()))
            .toList());
  }

  /** Lets one text be tried at once; returns whether the sender was stopped. */
  public boolean tryNow(ChannelKind kind) {
    return transactions.executeWrite(status -> rows.tryNow(kind.word(), systemClock.instant()) > 0);
  }

  /** The provider does not take texts from this sender; joins the running transaction. */
  void stop(ChannelKind kind, String code) {
    var now = systemClock.instant();
    var _ = rows.insert(kind.word());
    var known = rows.find(kind.word()).filter(row -> code.equals(row.stoppedCode())).isPresent();
    rows.stop(kind.word(), code, now, now.plus(TRIED_EVERY));
    if (!known) {
      events.emit("sender.stopped", null, Map.of("channel", kind.word(), "code", code));
      log.error(
          "The provider takes no texts by {} ({}): all of them wait. Put the account, its token or"
              + " the sender right; one text is tried every {} min, and the rest follow",
          kind.word(),
          code,
          TRIED_EVERY.toMinutes());
    }
  }

  /** The provider took a text from this sender; joins the running transaction. */
  void works(ChannelKind kind) {
    if (rows.works(kind.word()) > 0) {
      events.emit("sender.works", null, Map.of("channel", kind.word()));
      log.info("The provider takes texts by {} again; those that waited go out", kind.word());
    }
  }
}
