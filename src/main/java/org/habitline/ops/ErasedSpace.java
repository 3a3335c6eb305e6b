package org.habitline.ops;

import io.micronaut.data.connection.jdbc.advice.DelegatingDataSource;
import io.micronaut.scheduling.annotation.Scheduled;
import io.micronaut.transaction.TransactionOperations;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.h2.engine.SessionLocal;
import org.h2.index.Index;
import org.h2.jdbc.JdbcConnection;
import org.h2.mvstore.DeadKeys;
import org.h2.mvstore.DeadSpace;
import org.h2.mvstore.db.MVIndex;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.participants.Database;
import org.habitline.participants.Erasures;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finishes erasures: when the rows of a participant are deleted, it overwrites what the H2 file
 * still holds of them, a few megabytes at a time, while the line goes on; on PostgreSQL it lets the
 * server vacuum the tables. Files that killed processes left behind go as well. What is to be
 * finished stands in the database, so a start after a crash begins it anew; that is harmless.
 */
@Singleton
final class ErasedSpace {

  private static final Logger log = LoggerFactory.getLogger(ErasedSpace.class);

  /** Columns whose values name somebody, and that an index holds a second time. */
  static final Set<String> NAMING = Set.of("phone", "sender");

  /** Commits wait for one portion: some hundredths of a second. */
  private static final int PORTION = 8 << 20;

  private static final Duration FOR_READERS = Duration.ofSeconds(5);
  private static final long PAUSE = Duration.ofMillis(20).toNanos();

  /** One process of a cluster at a time; any number that nobody else takes. */
  private static final long VACUUM_LOCK = 0x6861_6269_7465_7261L;

  private final Erasures erasures;
  private final LeftOvers leftOvers;
  private final AuditLog audit;
  private final TransactionOperations<Connection> transactions;
  private final DataSource source;
  private final ReentrantLock one = new ReentrantLock();
  private volatile boolean closing;
  private volatile int percent;

  ErasedSpace(
      Erasures erasures,
      LeftOvers leftOvers,
      AuditLog audit,
      TransactionOperations<Connection> transactions,
      DataSource source) {
    this.erasures = erasures;
    this.leftOvers = leftOvers;
    this.audit = audit;
    this.transactions = transactions;
    this.source = DelegatingDataSource.unwrapDataSource(source);
  }

  @PreDestroy
  void close() {
    closing = true;
  }

  /** Returns how much of the file was looked at in the pass that runs, in percent. */
  int percent() {
    return percent;
  }

  @Scheduled(initialDelay = "1s", fixedDelay = "2s")
  void run() {
    try {
      var _ = finish();
    } catch (RuntimeException e) {
      if (!closing) {
        log.warn(
            "What the database keeps of erased participants could not be removed and will be later: {}",
            e.getClass().getName());
      }
    }
  }

  /** Finishes what there is, for as long as that; returns whether nothing is left to do. */
  boolean finishWithin(Duration patience) {
    var end = System.nanoTime() + patience.toNanos();
    while (!finish()) {
      if (closing || System.nanoTime() - end > 0) {
        return false;
      }
      LockSupport.parkNanos(PAUSE);
    }
    return true;
  }

  /** Returns how many erasures are not finished yet. */
  int unfinished() {
    return erasures.rewriting().size();
  }

  /** Finishes what can be finished now; returns whether nothing is left to do. */
  boolean finish() {
    if (unfinished() == 0) {
      return true;
    }
    if (!one.tryLock()) {
      return false;
    }
    try {
      var pending = erasures.rewriting();
      if (pending.isEmpty()) {
        return true;
      }
      percent = 0;
      leftOvers.delete();
      var isFile = transactions.executeRead(status -> Database.isFile(status.getConnection()));
      if (isFile ? wiped(pending.getFirst()) : vacuumed()) {
        pending.forEach(this::done);
        return unfinished() == 0;
      }
      return false;
    } finally {
      one.unlock();
    }
  }

  private void done(String participantId) {
    transactions.executeWrite(status -> {
      if (erasures.done(participantId)) {
        audit.record(AuditEntry.of("habitline", "system", "erasure finished").to(participantId));
      }
      return true;
    });
  }

  // --- the H2 file ---

  private boolean wiped(String participantId) {
    replaceDeadKeys();
    var space =
        transactions
            .executeRead(status -> FileCompaction.store(status.getConnection()))
            .flatMap(DeadSpace::of);
    return space.isEmpty() || wiped(space.get(), participantId);
  }

  private boolean wiped(DeadSpace space, String participantId) {
    // What a commit deletes is counted as dead by the one after it.
    erasures.nudge(participantId);
    erasures.nudge(participantId);
    space.note();
    if (!waited(space, participantId)) {
      return false;
    }
    space.sync();
    while (space.wipe(PORTION)) {
      if (closing || space.isBeingCopied()) {
        return false;
      }
      percent = space.percent();
    }
    space.sync();
    return true;
  }

  /** Somebody may still read what was deleted: a long export, say. The next pass waits again. */
  private boolean waited(DeadSpace space, String participantId) {
    for (long waited = 0; waited < FOR_READERS.toNanos() && !closing; waited += PAUSE) {
      erasures.nudge(participantId);
      if (space.unread()) {
        return true;
      }
      LockSupport.parkNanos(PAUSE);
    }
    return false;
  }

  private void replaceDeadKeys() {
    var replaced =
        transactions.executeWrite(status -> {
          var connection = status.getConnection();
          try (var _ = connection.createStatement()) {
            return session(connection).map(ErasedSpace::replaceDeadKeys).orElse(0);
          } catch (SQLException e) {
            throw new IllegalStateException("The database cannot be written: " + e.getErrorCode());
          }
        });
    if (replaced > 0) {
      log.debug("{} keys of deleted rows were left in indexes", replaced);
    }
  }

  private static Optional<SessionLocal> session(Connection connection) throws SQLException {
    return connection.isWrapperFor(JdbcConnection.class)
            && connection.unwrap(JdbcConnection.class).getSession() instanceof SessionLocal session
        ? Optional.of(session)
        : Optional.empty();
  }

  private static int replaceDeadKeys(SessionLocal session) {
    var replaced = 0;
    for (var table : session.getDatabase().getMainSchema().getAllTablesAndViews(session)) {
      for (var index : table.getIndexes() == null ? List.<Index>of() : table.getIndexes()) {
        if (index instanceof MVIndex<?, ?> tree && names(index)) {
          replaced += DeadKeys.replace(tree.getMVMap());
        }
      }
    }
    return replaced;
  }

  private static boolean names(Index index) {
    for (var column : index.getColumns()) {
      if (NAMING.contains(column.getName())) {
        return true;
      }
    }
    return false;
  }

  // --- PostgreSQL ---

  /**
   * Rows that were deleted stay in the server's files until a vacuum; left to itself the server
   * vacuums a table when a fifth of it is dead, which may be never.
   */
  private boolean vacuumed() {
    try (var connection = source.getConnection()) {
      // On large tables longer than the server may otherwise be silent.
      connection.setNetworkTimeout(Runnable::run, 0);
      connection.setAutoCommit(true);
      if (!asked(connection, "SELECT pg_try_advisory_lock(" + VACUUM_LOCK + ")")) {
        return false;
      }
      try {
        for (var table : tables(connection)) {
          if (closing) {
            return false;
          }
          execute(connection, "VACUUM (INDEX_CLEANUP ON, TRUNCATE OFF) \"" + table + '"');
        }
        return true;
      } finally {
        asked(connection, "SELECT pg_advisory_unlock(" + VACUUM_LOCK + ")");
      }
    } catch (SQLException e) {
      throw new IllegalStateException("The tables cannot be vacuumed: SQLSTATE " + e.getSQLState());
    }
  }

  /** Returns the tables that hold something of participants. */
  private static Set<String> tables(Connection connection) throws SQLException {
    var found = new TreeSet<String>();
    try (var query =
            connection.prepareStatement(
                """
                SELECT DISTINCT c.table_name FROM information_schema.columns c
                JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
                WHERE t.table_type = 'BASE TABLE' AND c.table_schema = current_schema()
                  AND (c.column_name IN ('participant_id', 'phone', 'sender') OR c.table_name IN ('participant', 'delivery_event'))\
                """);
        var rows = query.executeQuery()) {
      while (rows.next()) {
        found.add(rows.getString(1));
      }
    }
    return found;
  }

  private static boolean asked(Connection connection, String query) throws SQLException {
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery(query)) {
      return rows.next() && rows.getBoolean(1);
    }
  }

  private static void execute(Connection connection, String command) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(command);
    }
  }
}
