package org.habitline.bench;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/**
 * The reference for wake-ups: takes due wake-ups from a table like Habitline's, in a separate
 * database, in batches of 100, and marks them. It writes no inbox and no events.
 */
final class PlainSweep implements AutoCloseable {

  private static final int AT_ONCE = 100;

  private final HikariDataSource database;

  private PlainSweep(HikariDataSource database) {
    this.database = database;
  }

  /** Returns one on a database with Habitline's tables. */
  static PlainSweep on(HikariDataSource prepared) {
    return new PlainSweep(prepared);
  }

  HikariDataSource database() {
    return database;
  }

  /** Marks all wake-ups that are due and returns their number. */
  int sweep() throws SQLException {
    try (var connection = database.getConnection()) {
      connection.setAutoCommit(false);
      var swept = 0;
      int claimed;
      do {
        var due = due(connection);
        mark(connection, due);
        connection.commit();
        claimed = due.size();
        swept += claimed;
      } while (claimed == AT_ONCE);
      connection.setAutoCommit(true);
      return swept;
    }
  }

  private static List<String> due(Connection connection) throws SQLException {
    try (var select =
        connection.prepareStatement(
            "SELECT id FROM wakeup WHERE status = 'waiting' AND due_at <= ?"
                + " ORDER BY due_at LIMIT 100 FOR UPDATE SKIP LOCKED")) {
      select.setObject(1, Instant.now().atOffset(ZoneOffset.UTC));
      try (var rows = select.executeQuery()) {
        var ids = new ArrayList<String>();
        while (rows.next()) {
          ids.add(rows.getString(1));
        }
        return ids;
      }
    }
  }

  private static void mark(Connection connection, List<String> ids) throws SQLException {
    try (var update =
        connection.prepareStatement("UPDATE wakeup SET status = 'rung' WHERE id = ANY (?)")) {
      update.setArray(1, connection.createArrayOf("varchar", ids.toArray()));
      update.executeUpdate();
    }
  }

  @Override
  public void close() {
    database.close();
  }
}
