package org.habitline.messaging.simulator;

import io.micronaut.transaction.TransactionOperations;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** What arrived on simulated phones, and what shall go wrong on the way to them. */
@Singleton
public final class SimulatedPhones {

  static final String DELAY = "delay";
  static final String FAILURE = "failure";

  private final JdbcSimulatedPhones rows;
  private final JdbcSimulatedFaults faults;
  private final TransactionOperations<Connection> transactions;
  private final Clock systemClock;

  SimulatedPhones(
      JdbcSimulatedPhones rows,
      JdbcSimulatedFaults faults,
      TransactionOperations<Connection> transactions,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.faults = faults;
    this.transactions = transactions;
    this.systemClock = systemClock;
  }

  /** One text on the screen. */
  public record Text(String deliveryId, String body, Instant arrivedAt) {}

  /** Returns the newest texts, oldest first. */
  public List<Text> texts(String participantId, int most) {
    return transactions.executeRead(status -> rows.newest(participantId, most)).reversed().stream()
        .map(row -> new Text(row.deliveryId(), row.body(), row.arrivedAt()))
        .toList();
  }

  /** The next text to this phone that has no fault before it meets this one. */
  public void breakNext(String participantId, SimulatedFault fault) {
    transactions.executeWrite(status -> {
      switch (fault) {
        case SimulatedFault.Delay delay ->
            faults.insert(
                participantId, DELAY, (int) delay.time().toSeconds(), systemClock.instant());
        case SimulatedFault.Failure failure ->
            faults.insert(participantId, FAILURE, 0, systemClock.instant());
      }
      return true;
    });
  }

  /** Returns what the next texts to this phone will meet, in order. */
  public List<SimulatedFault> pending(String participantId) {
    return transactions.executeRead(status -> faults.pending(participantId)).stream()
        .map(SimulatedPhones::fault)
        .toList();
  }

  private static SimulatedFault fault(JdbcSimulatedFaults.Row row) {
    return row.kind().equals(DELAY)
        ? new SimulatedFault.Delay(Duration.ofSeconds(row.seconds()))
        : new SimulatedFault.Failure();
  }
}
