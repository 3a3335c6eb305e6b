package org.habitline.messaging.simulator;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.habitline.storage.Transactions;

/** The messages that arrived on simulated phones, and the faults to simulate on the way there. */
@Singleton
public final class SimulatedPhones {

  private final JdbcSimulatedPhones rows;
  private final JdbcSimulatedFaults faults;
  private final Transactions transactions;
  private final Clock systemClock;

  SimulatedPhones(
      JdbcSimulatedPhones rows,
      JdbcSimulatedFaults faults,
      Transactions transactions,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.faults = faults;
    this.transactions = transactions;
    this.systemClock = systemClock;
  }

  /** A message on the screen of a simulated phone. */
  public record Text(String deliveryId, String body, Instant arrivedAt) {}

  /** Returns the newest messages, oldest first. */
  public List<Text> texts(String participantId, int most) {
    return transactions.read(() -> rows.newest(participantId, most)).reversed().stream()
        .map(row -> new Text(row.deliveryId(), row.body(), row.arrivedAt()))
        .toList();
  }

  /** Adds a fault, which the next message to this phone without an earlier fault meets. */
  public void breakNext(String participantId, SimulatedFault fault) {
    transactions.write(() -> {
      switch (fault) {
        case SimulatedFault.Delay delay ->
            faults.insert(
                participantId,
                JdbcSimulatedFaults.Kind.DELAY,
                (int) delay.time().toSeconds(),
                systemClock.instant());
        case SimulatedFault.Failure failure ->
            faults.insert(
                participantId, JdbcSimulatedFaults.Kind.FAILURE, 0, systemClock.instant());
      }
    });
  }

  /** Returns the faults that the next messages to this phone will meet, in order. */
  public List<SimulatedFault> pending(String participantId) {
    return transactions.read(() -> faults.pending(participantId)).stream()
        .map(SimulatedPhones::fault)
        .toList();
  }

  private static SimulatedFault fault(JdbcSimulatedFaults.Row row) {
    return switch (row.kind()) {
      case DELAY -> new SimulatedFault.Delay(Duration.ofSeconds(row.seconds()));
      case FAILURE -> new SimulatedFault.Failure();
    };
  }
}
