package org.habitline.messaging;

import io.micronaut.transaction.TransactionOperations;
import io.micronaut.transaction.support.TransactionSynchronization;
import jakarta.inject.Provider;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.habitline.audit.Events;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Ids;
import org.jspecify.annotations.Nullable;

/** What must go out. A planned text leaves once its transaction is committed, and only then. */
@Singleton
public final class Outbox {

  private static final int SHOWN = 200;

  private final JdbcOutbox rows;
  private final Events events;
  private final Provider<OutboxWorker> worker;
  private final TransactionOperations<Connection> transactions;
  private final Clock clock;

  Outbox(
      JdbcOutbox rows,
      Events events,
      Provider<OutboxWorker> worker,
      TransactionOperations<Connection> transactions,
      Clock clock) {
    this.rows = rows;
    this.events = events;
    this.worker = worker;
    this.transactions = transactions;
    this.clock = clock;
  }

  /**
   * A text to be sent.
   *
   * @param turn the turn that says it, if one does
   * @param messageId its row in the transcript, if it has one
   */
  public record Planned(
      String participantId,
      @Nullable Integer turn,
      @Nullable String messageId,
      OutboundKind kind,
      ChannelKind channel,
      String body) {}

  /** Plans a text in the running transaction and returns the id of its delivery. */
  public String plan(Planned text) {
    var id = Ids.next("dlv");
    rows.insert(
        id,
        text.participantId(),
        text.turn(),
        text.messageId(),
        text.kind().word(),
        text.channel().word(),
        text.body(),
        clock.instant());
    events.emit("delivery.updated", text.participantId(), Map.of("id", id, "status", "planned"));
    transactions
        .findTransactionStatus()
        .orElseThrow()
        .registerSynchronization(
            new TransactionSynchronization() {
              @Override
              public void afterCommit() {
                worker.get().signal(text.participantId(), Duration.ZERO);
              }
            });
    return id;
  }

  /** How a text fares, for pages. */
  public record Sent(
      String id,
      @Nullable Integer turn,
      @Nullable String messageId,
      String kind,
      String channel,
      String status,
      int attempts,
      @Nullable String reason,
      Instant plannedAt,
      @Nullable Instant endedAt) {}

  /** Returns the newest texts to a participant, newest first, at most 200. */
  public List<Sent> deliveries(String participantId) {
    return transactions.executeRead(status ->
        rows.newest(participantId, SHOWN).stream()
            .map(row ->
                new Sent(
                    row.id(),
                    row.turn(),
                    row.messageId(),
                    row.kind(),
                    row.channel(),
                    row.status(),
                    row.attempts(),
                    row.reason(),
                    row.plannedAt(),
                    row.endedAt()))
            .toList());
  }
}
