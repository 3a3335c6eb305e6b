package org.habitline.messaging.simulator;

import io.micronaut.transaction.TransactionOperations;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.time.Instant;
import java.util.List;

/** What arrived on simulated phones. */
@Singleton
public final class SimulatedPhones {

  private final JdbcSimulatedPhones rows;
  private final TransactionOperations<Connection> transactions;

  SimulatedPhones(JdbcSimulatedPhones rows, TransactionOperations<Connection> transactions) {
    this.rows = rows;
    this.transactions = transactions;
  }

  /** One text on the screen. */
  public record Text(String deliveryId, String body, Instant arrivedAt) {}

  /** Returns the newest texts, oldest first. */
  public List<Text> texts(String participantId, int most) {
    return transactions.executeRead(status -> rows.newest(participantId, most)).reversed().stream()
        .map(row -> new Text(row.deliveryId(), row.body(), row.arrivedAt()))
        .toList();
  }
}
