package org.habitline.ops.database;

import io.micronaut.data.connection.jdbc.exceptions.CannotGetJdbcConnectionException;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.h2.engine.Constants;
import org.habitline.storage.Snapshots;

/**
 * Reads snapshots on connections outside the pool, {@value #AT_ONCE} at a time. Only the export of
 * the study reads on two connections, and a node makes one export at a time.
 */
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
    try (var connection = opened()) {
      try {
        return reading.read(connection);
      } finally {
        connection.rollback();
      }
    } finally {
      free.release();
    }
  }

  /** Opens a second connection on PostgreSQL, so that the server works while rows are formatted. */
  @Override
  public <R> R readSideBySide(SideBySide<R> reading) throws SQLException {
    return connections.onPostgresql()
        ? read(first -> {
          try (var second = opened()) {
            importSnapshot(exported(first), second);
            return reading.read(List.of(first, second));
          }
        })
        : Snapshots.super.readSideBySide(reading);
  }

  private static String exported(Connection snapshot) throws SQLException {
    try (var statement = snapshot.createStatement();
        var found = statement.executeQuery("SELECT pg_export_snapshot() AS id")) {
      found.next();
      return found.getString("id");
    }
  }

  private static void importSnapshot(String snapshot, Connection connection) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute("SET TRANSACTION SNAPSHOT '" + snapshot + "'");
    }
  }

  /** Opens a connection whose next statement begins a transaction that only reads. */
  private Connection opened() throws SQLException {
    var connection = connections.open();
    try {
      connection.setTransactionIsolation(
          connections.onPostgresql()
              ? Connection.TRANSACTION_REPEATABLE_READ
              : Constants.TRANSACTION_SNAPSHOT);
      connection.setReadOnly(true);
      connection.setAutoCommit(false);
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
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
