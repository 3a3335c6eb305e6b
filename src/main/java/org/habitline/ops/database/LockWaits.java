package org.habitline.ops.database;

import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.habitline.storage.Database;
import org.habitline.storage.Transactions;

/**
 * Counts the database connections, of all nodes, that wait for a lock, as the server reports them.
 * A file has one writer and no such locks.
 */
@Singleton
public final class LockWaits {

  private static final String WAITING =
      """
      SELECT COUNT(DISTINCT a.pid),
             COALESCE(MAX(EXTRACT(EPOCH FROM clock_timestamp() - l.waitstart)) * 1000, 0)
      FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid AND NOT l.granted
      WHERE a.datname = current_database()\
      """;

  private final Transactions transactions;

  LockWaits(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * The lock waits at one moment.
   *
   * @param longest how long the first of them has been waiting
   */
  public record Waiting(long connections, Duration longest) {

    public static final Waiting NONE = new Waiting(0, Duration.ZERO);
  }

  /** Returns the lock waits now. */
  public Waiting now() {
    return transactions.readWith(
        connection -> Database.isFile(connection) ? Waiting.NONE : waiting(connection));
  }

  private static Waiting waiting(Connection connection) {
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery(WAITING)) {
      return rows.next()
          ? new Waiting(rows.getLong(1), Duration.ofMillis(rows.getLong(2)))
          : Waiting.NONE;
    } catch (SQLException e) {
      throw new IllegalStateException("The database does not report lock waits.", e);
    }
  }
}
