package org.habitline.ops.database;

import io.micronaut.data.connection.jdbc.exceptions.CannotGetJdbcConnectionException;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.h2.engine.Constants;
import org.habitline.storage.Snapshots;

/** Reads snapshots on connections outside the pool, {@value #AT_ONCE} at a time. */
@Singleton
final class OwnSnapshots implements Snapshots {

  private static final int AT_ONCE = 2;

  /** As long as a request waits for a connection of the pool. */
  private static final int SECONDS = 5;

  private final OwnConnections connections;
  private final Semaphore free = new Semaphore(AT_ONCE, true);

  OwnSnapshots(OwnConnections connections) {
    this.connections = connections;
  }

  @Override
  public <R> R read(Reading<R> reading) throws SQLException {
    take();
    try (var connection = connections.open()) {
      connection.setTransactionIsolation(
          connections.onPostgresql()
              ? Connection.TRANSACTION_REPEATABLE_READ
              : Constants.TRANSACTION_SNAPSHOT);
      connection.setReadOnly(true);
      connection.setAutoCommit(false);
      try {
        return reading.read(connection);
      } finally {
        connection.rollback();
      }
    } finally {
      free.release();
    }
  }

  private void take() {
    try {
      if (!free.tryAcquire(SECONDS, TimeUnit.SECONDS)) {
        throw new CannotGetJdbcConnectionException(
            "Other exports are running.",
            new SQLTransientConnectionException("Other exports are running."));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CannotGetJdbcConnectionException(
          "Interrupted.", new SQLTransientConnectionException("Interrupted."));
    }
  }
}
