package org.habitline;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.micronaut.data.connection.jdbc.advice.DelegatingDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.habitline.storage.Database;

/**
 * A transaction of a test that holds locks, on a connection that waits for nobody's turn to write.
 */
public final class LockHolder implements AutoCloseable {

  private final DataSource source;
  private final Connection connection;

  private LockHolder(DataSource source) throws SQLException {
    this.source = source;
    this.connection = source.getConnection();
    connection.setAutoCommit(false);
  }

  public static LockHolder of(RunningLine line) throws SQLException {
    return of(line.bean(DataSource.class));
  }

  public static LockHolder of(RestLine line) throws SQLException {
    return of(line.bean(DataSource.class));
  }

  private static LockHolder of(DataSource source) throws SQLException {
    return new LockHolder(
        DelegatingDataSource.unwrapDataSource(source).unwrap(HikariDataSource.class));
  }

  /** Carries a statement out in this transaction; returns how many rows it changed. */
  public int update(String sql, Object... arguments) throws SQLException {
    try (var statement = connection.prepareStatement(sql)) {
      set(statement, arguments);
      return statement.executeUpdate();
    }
  }

  /** Returns whether a query that locks what it finds finds anything. */
  public boolean locks(String query, Object... arguments) throws SQLException {
    try (var statement = connection.prepareStatement(query)) {
      set(statement, arguments);
      try (var rows = statement.executeQuery()) {
        return rows.next();
      }
    }
  }

  private static void set(PreparedStatement statement, Object... arguments) throws SQLException {
    for (int i = 0; i < arguments.length; i++) {
      statement.setObject(i + 1, arguments[i]);
    }
  }

  /**
   * Waits until another connection waits for a lock of this transaction. Whoever waits for somebody
   * else, such as two timers for each other, does not count.
   */
  public void awaitWaiting() throws SQLException {
    awaitWaiting(1);
  }

  /**
   * Waits until this many other connections wait for a lock of this transaction. On H2 it waits for
   * one only: writers take turns there, and the others wait for theirs.
   */
  public void awaitWaiting(int many) throws SQLException {
    var file = Database.isFile(connection);
    var own = number(connection, file ? "SELECT SESSION_ID()" : "SELECT pg_backend_pid()");
    var waiting =
        file
            ? "SELECT COUNT(*) FROM information_schema.sessions WHERE blocker_id = " + own
            : "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND "
                + own
                + " = ANY (pg_blocking_pids(pid))";
    await()
        .until(() -> {
          try (var other = source.getConnection()) {
            return number(other, waiting) >= (file ? 1 : many);
          }
        });
  }

  private static int number(Connection connection, String sql) throws SQLException {
    try (var statement = connection.createStatement();
        var found = statement.executeQuery(sql)) {
      found.next();
      return found.getInt(1);
    }
  }

  public void commit() throws SQLException {
    connection.commit();
  }

  /** Takes back what was not committed. */
  @Override
  public void close() throws SQLException {
    try (connection) {
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }
}
