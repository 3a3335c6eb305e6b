package org.habitline.storage;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Tells database products and failures apart. */
public final class Database {

  /** The standard SQLSTATE of a commit of which it is not known whether it lasts. */
  public static final String OUTCOME_UNKNOWN = "08007";

  private static final Set<String> LOCKED = Set.of("55P03", "HYT00");

  private static final String DUPLICATE = "23505";

  private Database() {}

  /**
   * SQLSTATEs of failures that do not depend on the statement: the connection broke or the server
   * closed it, also because its transaction was idle too long (25P03, 57P05); a lock was not
   * granted in time (55P03); the server is stopping, starting, full or only reads (25006); a
   * deadlock; it is not known whether a statement ended (40003); an H2 file was closed because it
   * could not be written (90098, 90121).
   */
  private static final Set<String> PASSING =
      Set.of(
          "25006", "25P03", "57P05", "55P03", "57P01", "57P02", "57P03", "40001", "40003", "40P01",
          "HYT00", "90098", "90121");

  /** SQLSTATE classes of the same kind: connections, server resources, its files. */
  private static final Set<String> PASSING_CLASSES = Set.of("08", "53", "58");

  /**
   * Returns whether a retry may succeed because the database, not the statement, caused the
   * failure. A failure without SQLSTATE comes from the pool: the connection was closed while in
   * use, and the server's own error may be lost.
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

  /** Returns whether a lock was not granted in time. */
  public static boolean isLocked(Throwable failure) {
    return causes(failure)
        .anyMatch(cause ->
            cause instanceof SQLException sql
                && sql.getSQLState() != null
                && LOCKED.contains(sql.getSQLState()));
  }

  /** Returns whether it is not known if what was committed lasts. */
  public static boolean isOutcomeUnknown(Throwable failure) {
    return causes(failure)
        .anyMatch(cause ->
            cause instanceof SQLException sql && OUTCOME_UNKNOWN.equals(sql.getSQLState()));
  }

  /** Returns whether a row was refused because a unique column has its value already. */
  public static boolean isDuplicate(Throwable failure) {
    return causes(failure)
        .anyMatch(
            cause -> cause instanceof SQLException sql && DUPLICATE.equals(sql.getSQLState()));
  }

  private static Stream<Throwable> causes(Throwable failure) {
    return Stream.<@Nullable Throwable>iterate(
            failure, Objects::nonNull, it -> it == null ? null : it.getCause())
        .map(Objects::requireNonNull);
  }

  /** Returns whether the database is an H2 file, which no other process can open. */
  public static boolean isFile(Connection connection) {
    try {
      return connection.getMetaData().getDatabaseProductName().equals("H2");
    } catch (SQLException e) {
      throw new IllegalStateException("The database does not report its product name.", e);
    }
  }

  /**
   * Limits how long each statement of the running transaction waits for locks. Does nothing on a
   * file, which has a single writer.
   */
  public static void waitForLocks(Connection connection, Duration atMost) {
    if (isFile(connection)) {
      return;
    }
    try (var statement = connection.createStatement()) {
      statement.execute("SET LOCAL lock_timeout = " + atMost.toMillis());
    } catch (SQLException e) {
      throw new IllegalStateException("The lock timeout of the transaction cannot be set.", e);
    }
  }
}
