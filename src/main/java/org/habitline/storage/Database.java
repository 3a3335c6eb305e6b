package org.habitline.storage;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the line must know of the database that it stands on. */
public final class Database {

  private static final Set<String> LOCKED = Set.of("55P03", "HYT00");

  private Database() {}

  /**
   * SQLSTATEs of failures that say nothing about what was asked: the connection broke or was ended
   * by the server, also because its transaction stood idle for too long (25P03, 57P05); a lock was
   * not had in time (55P03); the server is stopping, starting or full; two waited for each other.
   */
  private static final Set<String> PASSING =
      Set.of("25P03", "57P05", "55P03", "57P01", "57P02", "57P03", "40001", "40P01", "HYT00");

  /** Classes of them: the connection, the server's resources. */
  private static final Set<String> PASSING_CLASSES = Set.of("08", "53");

  /**
   * Whether the same may succeed when it is tried again, because the database was in the way. What
   * has no SQLSTATE is the pool's: the connection was closed under whoever used it, which may be
   * all that is left of the server's own words.
   */
  public static boolean isPassing(Throwable failure) {
    return causes(failure)
        .anyMatch(cause ->
            cause instanceof SQLTransientException
                || (cause instanceof SQLException sql && isPassing(sql.getSQLState())));
  }

  private static boolean isPassing(@Nullable String state) {
    return state == null
        || PASSING.contains(state)
        || PASSING_CLASSES.stream().anyMatch(state::startsWith);
  }

  /** Whether it failed because somebody else held for too long what it wanted. */
  public static boolean isLocked(Throwable failure) {
    return causes(failure)
        .anyMatch(cause ->
            cause instanceof SQLException sql
                && sql.getSQLState() != null
                && LOCKED.contains(sql.getSQLState()));
  }

  private static Stream<Throwable> causes(Throwable failure) {
    return Stream.<@Nullable Throwable>iterate(
            failure, Objects::nonNull, it -> it == null ? null : it.getCause())
        .map(Objects::requireNonNull);
  }

  /** Whether this is the H2 file, which no other process can have open. */
  public static boolean isFile(Connection connection) {
    try {
      return connection.getMetaData().getDatabaseProductName().equals("H2");
    } catch (SQLException e) {
      throw new IllegalStateException("The database does not say what it is.", e);
    }
  }

  /**
   * No statement of the running transaction waits longer than this for what somebody else holds. A
   * file has one writer, who waits for nobody.
   */
  public static void waitForLocks(Connection connection, Duration atMost) {
    if (isFile(connection)) {
      return;
    }
    try (var statement = connection.createStatement()) {
      statement.execute("SET LOCAL lock_timeout = " + atMost.toMillis());
    } catch (SQLException e) {
      throw new IllegalStateException("The database cannot be told how long to wait.", e);
    }
  }
}
