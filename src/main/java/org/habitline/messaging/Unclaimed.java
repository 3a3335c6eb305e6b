package org.habitline.messaging;

import io.micronaut.transaction.TransactionOperations;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.time.Instant;
import java.util.List;

/** Texts from senders whom nobody enrolled: kept for staff, never answered. */
@Singleton
public final class Unclaimed {

  private final JdbcUnclaimed rows;
  private final TransactionOperations<Connection> transactions;

  Unclaimed(JdbcUnclaimed rows, TransactionOperations<Connection> transactions) {
    this.rows = rows;
    this.transactions = transactions;
  }

  /** One of them. {@code seq} says where it stands in the order they came. */
  public record Text(long seq, String channel, String sender, String body, Instant receivedAt) {}

  /** Returns the newest before a place ({@link Long#MAX_VALUE} for the newest of all). */
  public List<Text> texts(long before, int most) {
    return transactions.executeRead(status -> rows.newest(before, most)).stream()
        .map(row -> new Text(row.seq(), row.channel(), row.sender(), row.body(), row.receivedAt()))
        .toList();
  }
}
