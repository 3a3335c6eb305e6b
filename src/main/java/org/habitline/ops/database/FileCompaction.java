package org.habitline.ops.database;

import io.micronaut.scheduling.annotation.Scheduled;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import org.h2.engine.Database;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;
import org.h2.mvstore.MVStore;
import org.habitline.storage.Transactions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the H2 file close to the size of its contents. H2 does this in its background writer, which
 * does not run when every commit is written at once ({@code WRITE_DELAY=0}). In a trial, 600 MB of
 * rows took a file of 4.5 GB without compaction, and 1.3 GB when compacted after every 500 commits.
 * Does nothing on PostgreSQL.
 */
@Singleton
final class FileCompaction {

  private static final Logger log = LoggerFactory.getLogger(FileCompaction.class);

  /** If less than this percentage of the file is in use, parts of it are rewritten. */
  private static final int USED_AT_LEAST = 60;

  /** How much is rewritten at a time, so that writers do not wait long. */
  private static final int BYTES_AT_A_TIME = 16 << 20;

  private static final int TIMES_AT_ONCE = 4;

  private final Transactions transactions;
  private final H2WriteLock writer;

  FileCompaction(Transactions transactions, H2WriteLock writer) {
    this.transactions = transactions;
    this.writer = writer;
  }

  @Scheduled(initialDelay = "10s", fixedDelay = "5s")
  void compact() {
    try {
      var more = true;
      for (int time = 0; more && time < TIMES_AT_ONCE; time++) {
        more = transactions.writeWith(this::alone);
      }
    } catch (RuntimeException e) {
      log.warn(
          "The database file could not be compacted; this is tried again later: {}",
          e.getClass().getName());
    }
  }

  /**
   * Compacts a part while holding the write lock, because moved data is stored at once. Returns
   * whether there is more to do.
   */
  private boolean alone(Connection connection) {
    try (var statement = connection.createStatement()) {
      if (writer.isFailing()) {
        // Changes nothing, but is written: shows whether the file can be written again.
        statement.executeUpdate("UPDATE build SET made_at = made_at");
        return false;
      }
      return store(connection)
          .filter(store -> !store.isClosed())
          .map(store -> store.compact(USED_AT_LEAST, BYTES_AT_A_TIME))
          .orElse(false);
    } catch (SQLException e) {
      throw new IllegalStateException("The database file cannot be written: " + e.getErrorCode());
    }
  }

  static Optional<MVStore> store(Connection connection) {
    return database(connection).map(database -> database.getStore().getMvStore());
  }

  /** Returns the open database of a connection to H2. */
  static Optional<Database> database(Connection connection) {
    try {
      return connection.isWrapperFor(JdbcConnection.class)
              && connection.unwrap(JdbcConnection.class).getSession()
                  instanceof SessionLocal session
          ? Optional.of(session.getDatabase())
          : Optional.empty();
    } catch (SQLException e) {
      return Optional.empty();
    }
  }
}
