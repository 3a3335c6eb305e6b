package org.habitline.ops.database;

import io.micronaut.data.connection.jdbc.advice.DelegatingDataSource;
import io.micronaut.scheduling.annotation.Scheduled;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.h2.engine.SessionLocal;
import org.h2.index.Index;
import org.h2.jdbc.JdbcConnection;
import org.h2.mvstore.DeadKeys;
import org.h2.mvstore.DeadSpace;
import org.h2.mvstore.db.MVIndex;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.participants.Erasures;
import org.habitline.storage.Database;
import org.habitline.storage.Transactions;
import org.habitline.tools.ExportFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finishes erasures after a participant's rows are deleted. On H2, overwrites what the file still
 * holds of them, a few megabytes at a time, while the service runs; on PostgreSQL, vacuums the
 * tables once nothing on the server may still read the deleted rows. Also deletes files that killed
 * processes left behind. Unfinished erasures are stored in the database, so a start after a crash
 * begins them again, which is harmless.
 */
@Singleton
public final class ErasedSpace {

  private static final Logger log = LoggerFactory.getLogger(ErasedSpace.class);

  /** Columns whose values identify a person and are repeated in an index. */
  static final Set<String> NAMING = Set.of("phone", "sender");

  /** Commits wait for one portion of this many bytes: some hundredths of a second. */
  private static final int PORTION = 8 << 20;

  private static final Duration FOR_READERS = Duration.ofSeconds(5);
  private static final long PAUSE = Duration.ofMillis(20).toNanos();

  /** The key of the advisory lock that lets only one node vacuum; an arbitrary number. */
  private static final long VACUUM_LOCK = 0x6861_6269_7465_7261L;

  /**
   * Selects the transaction or slot on the server that may read the oldest rows, and the oldest
   * transaction id that it may not see as ended. Writing transactions of every database count:
   * while one runs, a later one may still get a snapshot from before it.
   */
  private static final String OLDEST_READER =
      """
      SELECT r.reader AS reader, txid_snapshot_xmax(txid_current_snapshot()) - r.behind AS oldest
      FROM (SELECT concat('the transaction of server process ', pid) AS reader,
                   GREATEST(age(backend_xid), CASE WHEN datname IS NULL OR datname = current_database()
                                                   THEN age(backend_xmin) END) AS behind
            FROM pg_stat_activity WHERE pid <> pg_backend_pid()
            UNION ALL SELECT concat('prepared transaction ', gid), age(transaction) FROM pg_prepared_xacts
            UNION ALL SELECT concat('replication slot ', slot_name), age(xmin) FROM pg_replication_slots) r
      WHERE r.behind IS NOT NULL ORDER BY r.behind DESC LIMIT 1\
      """;

  private final Erasures erasures;
  private final LeftOvers leftOvers;
  private final ExportFiles exports;
  private final AuditLog audit;
  private final Transactions transactions;
  private final DataSource source;
  private final ReentrantLock one = new ReentrantLock();
  private volatile boolean closing;
  private volatile int percent;

  /** How many erasures wait because export files could not be deleted. */
  private volatile int withFiles;

  private volatile Optional<String> heldUpBy = Optional.empty();

  /** For each erasure, a transaction id later than that of the deletion. */
  private final Map<String, Long> behind = new ConcurrentHashMap<>();

  ErasedSpace(
      Erasures erasures,
      LeftOvers leftOvers,
      ExportFiles exports,
      AuditLog audit,
      Transactions transactions,
      DataSource source) {
    this.erasures = erasures;
    this.leftOvers = leftOvers;
    this.exports = exports;
    this.audit = audit;
    this.transactions = transactions;
    this.source = DelegatingDataSource.unwrapDataSource(source);
  }

  @PreDestroy
  void close() {
    closing = true;
  }

  /** Returns how much of the file the present pass has checked, in percent. */
  public int percent() {
    return percent;
  }

  /**
   * Returns what on the PostgreSQL server may still read deleted rows and so holds up a vacuum: the
   * oldest transaction, prepared transaction or replication slot.
   */
  public Optional<String> heldUpBy() {
    return heldUpBy;
  }

  /** Returns the progress of the unfinished erasures in words. */
  public String told() {
    if (withFiles > 0) {
      return "the export files of "
          + withFiles
          + " erased participants cannot be deleted; make the folder exports writable";
    }
    return heldUpBy
        .map(it -> "waiting for " + it + " to end; until then PostgreSQL keeps deleted rows")
        .orElseGet(() ->
            isOnFile()
                ? percent + " % of the file has been cleaned"
                : "the server is vacuuming the tables");
  }

  @Scheduled(initialDelay = "1s", fixedDelay = "2s")
  void run() {
    try {
      var _ = finish();
    } catch (RuntimeException e) {
      if (!closing) {
        log.warn(
            "Deleted rows of erased participants could not be removed from the database files;"
                + " this is tried again: {}",
            e.getClass().getName());
      }
    }
  }

  /** Finishes erasures until none is left or the time is over; returns whether none is left. */
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

  /** Returns whether the database is the H2 file. */
  public boolean isOnFile() {
    return transactions.readWith(connection -> Database.isFile(connection));
  }

  /** Returns how many erasures are not finished yet. */
  public int unfinished() {
    return erasures.rewriting().size();
  }

  /** Finishes the erasures that can be finished now; returns whether none is left. */
  public boolean finish() {
    if (unfinished() == 0) {
      return true;
    }
    if (!one.tryLock()) {
      return false;
    }
    try {
      var all = erasures.rewriting();
      if (all.isEmpty()) {
        return true;
      }
      var pending = all.stream().filter(exports::isErased).toList();
      withFiles = all.size() - pending.size();
      if (pending.isEmpty()) {
        return false;
      }
      percent = 0;
      leftOvers.delete();
      var finished = isOnFile() ? wiped(pending) : vacuumed(pending);
      finished.forEach(this::done);
      return !finished.isEmpty() && unfinished() == 0;
    } finally {
      one.unlock();
    }
  }

  private void done(String participantId) {
    transactions.write(() -> {
      if (erasures.done(participantId)) {
        audit.record(
            AuditEntry.of("habitline", "system", AuditAction.ERASURE_FINISHED).to(participantId));
      }
    });
  }

  // --- the H2 file ---

  private List<String> wiped(List<String> pending) {
    return wiped(pending.getFirst()) ? pending : List.of();
  }

  private boolean wiped(String participantId) {
    replaceDeadKeys();
    var space =
        transactions
            .readWith(connection -> FileCompaction.store(connection))
            .flatMap(DeadSpace::of);
    return space.isEmpty() || wiped(space.get(), participantId);
  }

  private boolean wiped(DeadSpace space, String participantId) {
    // H2 counts the deletions of one commit as dead space only at the next.
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

  /**
   * Waits until nothing reads the deleted data, such as a long export; returns false if that takes
   * too long. The next pass waits again.
   */
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
        transactions.writeWith(connection -> {
          try (var _ = connection.createStatement()) {
            return session(connection).map(ErasedSpace::replaceDeadKeys).orElse(0);
          } catch (SQLException e) {
            throw new IllegalStateException("The database cannot be written: " + e.getErrorCode());
          }
        });
    if (replaced > 0) {
      log.debug("{} keys of deleted rows are still in indexes", replaced);
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
   * Vacuums the tables. Deleted rows stay in the server's files until a vacuum; by itself the
   * server vacuums a table when a fifth of it is dead, which may never happen. A vacuum keeps rows
   * that something may still read, so this returns the erasures whose rows nothing could read
   * either when it began or when it ended.
   */
  private List<String> vacuumed(List<String> pending) {
    try (var connection = source.getConnection()) {
      // On large tables a vacuum takes longer than the normal read timeout.
      connection.setNetworkTimeout(Runnable::run, 0);
      connection.setAutoCommit(true);
      if (!asked(connection, "SELECT pg_try_advisory_lock(" + VACUUM_LOCK + ")")) {
        return List.of();
      }
      try {
        var next = number(connection, "SELECT txid_snapshot_xmax(txid_current_snapshot())");
        behind.keySet().retainAll(pending);
        pending.forEach(it -> behind.putIfAbsent(it, next));
        var unread = unread(connection, pending);
        if (unread.isEmpty()) {
          return List.of();
        }
        for (var table : tables(connection)) {
          if (closing) {
            return List.of();
          }
          execute(connection, "VACUUM (INDEX_CLEANUP ON, TRUNCATE OFF) \"" + table + '"');
        }
        return unread(connection, unread);
      } finally {
        asked(connection, "SELECT pg_advisory_unlock(" + VACUUM_LOCK + ")");
      }
    } catch (SQLException e) {
      throw new IllegalStateException("The tables cannot be vacuumed: SQLSTATE " + e.getSQLState());
    }
  }

  /** Returns the erasures among these whose rows nothing on the server may read any more. */
  private List<String> unread(Connection connection, List<String> erasures) throws SQLException {
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery(OLDEST_READER)) {
      var reader = rows.next();
      var oldest = reader ? rows.getLong("oldest") : Long.MAX_VALUE;
      var unread =
          erasures.stream()
              .filter(it -> behind.getOrDefault(it, Long.MAX_VALUE) <= oldest)
              .toList();
      heldUpBy(
          reader && unread.size() < erasures.size()
              ? Optional.of(rows.getString("reader"))
              : Optional.empty());
      return unread;
    }
  }

  private void heldUpBy(Optional<String> reader) {
    if (reader.isPresent() && !reader.equals(heldUpBy)) {
      log.info(
          "An erasure waits until {} ends, because it may still read deleted rows", reader.get());
    }
    heldUpBy = reader;
  }

  private static long number(Connection connection, String query) throws SQLException {
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  /** Returns the tables that hold participants' data. */
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
