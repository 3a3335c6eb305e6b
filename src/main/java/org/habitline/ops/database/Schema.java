package org.habitline.ops.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.flywaydb.core.Flyway;
import org.h2.api.ErrorCode;
import org.h2.message.DbException;
import org.habitline.Hashes;

/**
 * Makes the tables in an empty database, and refuses one that another build of Habitline made. The
 * last statement of the script writes the row of the table {@code build}, which names the build by
 * the hash of the script: where that row is, every table is.
 *
 * <p>Call {@link #prepare} before the pool opens the database. A process that is killed meanwhile
 * leaves nothing half made: on H2 the tables are made in a file of another name, on PostgreSQL in
 * one transaction.
 */
public final class Schema {

  /** The table that names the build; it has one row. */
  static final String BUILD = "build";

  static final String HISTORY = "flyway_schema_history";

  private static final String SCRIPT = "/db/migration/V1__habitline.sql";
  private static final String FINGERPRINT = fingerprint();

  /** Opens a file without changing a byte of it. */
  private static final String READ_ONLY = ";ACCESS_MODE_DATA=r";

  /** Closes a file at once; the service compacts it while it runs. */
  private static final String WITHOUT_COMPACTING = ";MAX_COMPACT_TIME=0";

  /** The key of the advisory lock that lets one node at a time make tables. */
  private static final long MAKING = 7_214_035_598_131L;

  private static final Duration WHILE_ANOTHER_MAKES = Duration.ofMinutes(2);
  private static final String LOCK_TIMEOUT = "55P03";

  static final Words OF_THE_FILE =
      new Words("HABITLINE_HOME: the database in its data folder was", "a new data folder");

  private static final Words OF_THE_SERVER =
      new Words("DATABASE_URL: the tables in the database were", "an empty database");

  private Schema() {}

  /**
   * Makes the tables if the database is empty; changes nothing otherwise. Does nothing on an H2
   * database in memory.
   *
   * @throws DatabaseRefused if another build made the tables in it, or another node has been making
   *     them for two minutes
   */
  public static void prepare(OwnConnections connections) throws SQLException {
    prepare(connections, List.of());
  }

  /**
   * Does the same as {@link #prepare(OwnConnections)}, but makes no tables beside files of a study
   * whose data is missing.
   *
   * @param files the names of these files
   * @throws DatabaseRefused also if there are such files and the database is empty
   */
  static void prepare(OwnConnections connections, List<String> files) throws SQLException {
    if (connections.onPostgresql()) {
      prepareServer(connections, files);
    } else {
      var file = connections.file();
      if (file.isPresent()) {
        prepareFile(connections, file.get(), files);
      }
    }
  }

  private static void refuseBeside(List<String> files, String empty) {
    if (!files.isEmpty()) {
      throw new DatabaseRefused(
          "HABITLINE_HOME: it holds "
              + String.join(", ", files)
              + " of a study, but "
              + empty
              + ". Mount or restore the data of that study; for a new study, move these files away.");
    }
  }

  private static Flyway flyway(OwnConnections connections) {
    return Flyway.configure()
        .dataSource(connections.url(), connections.user(), connections.password())
        .jdbcProperties(connections.properties())
        .initSql(connections.first())
        .locations("classpath:db/migration")
        .placeholders(Map.of("fingerprint", FINGERPRINT))
        .baselineVersion("1")
        .load();
  }

  private static String fingerprint() {
    try (var script = Objects.requireNonNull(Schema.class.getResourceAsStream(SCRIPT))) {
      return Hashes.sha256(script);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // --- the H2 file ---

  private static void prepareFile(OwnConnections connections, Path file, List<String> files)
      throws SQLException {
    var next = next(file);
    try {
      deleteLeftOver(next);
      if (Files.exists(file) && Files.size(file) > 0) {
        try (var connection = connections.to(file, READ_ONLY + WITHOUT_COMPACTING).open()) {
          refuseOthers(connection, OF_THE_FILE);
        }
      } else {
        refuseBeside(files, "its data folder holds no database");
        make(connections, next, file);
      }
    } catch (IOException e) {
      throw failure(ErrorCode.FILE_CREATION_FAILED_1, file);
    }
  }

  static Path next(Path file) {
    return file.resolveSibling(
        String.valueOf(file.getFileName())
            .replace(OwnConnections.SUFFIX, ".next" + OwnConnections.SUFFIX));
  }

  /** Deletes a file of a start that was killed; one that still makes it has it locked. */
  private static void deleteLeftOver(Path next) throws IOException, SQLException {
    if (Files.exists(next)) {
      try (var channel = FileChannel.open(next, StandardOpenOption.WRITE);
          var lock = channel.tryLock()) {
        if (lock == null) {
          throw failure(ErrorCode.DATABASE_ALREADY_OPEN_1, next);
        }
        Files.delete(next);
      } catch (OverlappingFileLockException e) {
        throw failure(ErrorCode.DATABASE_ALREADY_OPEN_1, next);
      }
    }
  }

  private static void make(OwnConnections connections, Path next, Path file) throws IOException {
    var folder = Objects.requireNonNull(file.getParent());
    PrivateFiles.createFolder(folder);
    PrivateFiles.create(next);
    flyway(connections.to(next, WITHOUT_COMPACTING)).migrate();
    // Locked, or a second process would take it for a leftover.
    try (var channel = FileChannel.open(next, StandardOpenOption.WRITE);
        var _ = channel.lock()) {
      channel.force(true);
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
    PrivateFiles.forceFolder(folder);
  }

  private static SQLException failure(int code, Path file) {
    return DbException.getJdbcSQLException(code, file.toString());
  }

  // --- PostgreSQL ---

  private static void prepareServer(OwnConnections connections, List<String> files)
      throws SQLException {
    if (isReady(connections)) {
      return;
    }
    try (var turn = connections.open()) {
      awaitTurn(turn);
      // A node that had its turn before may have made the tables.
      if (isReady(connections)) {
        return;
      }
      var flyway = flyway(connections);
      try (var connection = connections.open()) {
        var hasTables = hasTables(connection);
        if (!hasTables) {
          refuseBeside(files, "the database of DATABASE_URL has no tables");
        }
        // The history of a node that was killed beside it, or of tables that are gone.
        try (var statement = connection.createStatement()) {
          statement.execute("DROP TABLE IF EXISTS " + HISTORY);
        }
        if (!hasTables) {
          flyway.migrate();
          return;
        }
      }
      flyway.baseline();
    }
  }

  /** Returns whether the tables of this build and their history are there. */
  private static boolean isReady(OwnConnections connections) throws SQLException {
    try (var connection = connections.open()) {
      if (!hasTables(connection)) {
        return false;
      }
      refuseOthers(connection, OF_THE_SERVER);
      return !isEmpty(connection, HISTORY);
    }
  }

  /** Returns whether there is a table beside the history, which is made first. */
  private static boolean hasTables(Connection connection) throws SQLException {
    try (var tables =
        connection
            .getMetaData()
            .getTables(
                null,
                connection.getSchema(),
                "%",
                new String[] {"TABLE", "PARTITIONED TABLE", "FOREIGN TABLE"})) {
      while (tables.next()) {
        if (!tables.getString("TABLE_NAME").equals(HISTORY)) {
          return true;
        }
      }
      return false;
    }
  }

  private static boolean isEmpty(Connection connection, String table) throws SQLException {
    try (var tables =
        connection.getMetaData().getTables(null, connection.getSchema(), table, null)) {
      if (!tables.next()) {
        return true;
      }
    }
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery("SELECT 1 FROM " + table + " LIMIT 1")) {
      return !rows.next();
    }
  }

  /** Waits until no other node makes tables; the transaction holds the lock until it ends. */
  private static void awaitTurn(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    try (var statement = connection.createStatement()) {
      statement.execute("SET LOCAL lock_timeout = " + WHILE_ANOTHER_MAKES.toMillis());
      statement.execute("SELECT pg_advisory_xact_lock(" + MAKING + ")");
    } catch (SQLException e) {
      if (LOCK_TIMEOUT.equals(e.getSQLState())) {
        throw new DatabaseRefused(
            "Another node has been making the tables in the database for two minutes, or was"
                + " frozen while it did. Start this node again when the other one has finished, or"
                + " end that one.");
      }
      throw e;
    }
  }

  // --- the build ---

  /** The two ends of the sentence about another build's data: what it is, what to start with. */
  record Words(String which, String instead) {}

  /**
   * Does nothing if this build made the tables.
   *
   * @throws DatabaseRefused if another one did
   */
  static void refuseOthers(Connection connection, Words words) throws SQLException {
    var madeAt = "";
    if (hasRow(connection)) {
      try (var statement = connection.createStatement();
          var rows = statement.executeQuery("SELECT fingerprint, made_at FROM " + BUILD)) {
        if (rows.next()) {
          if (FINGERPRINT.equals(rows.getString(1))) {
            return;
          }
          madeAt = " on " + rows.getObject(2, OffsetDateTime.class).toLocalDate();
        }
      }
    }
    throw new DatabaseRefused(
        words.which()
            + " made by another build of Habitline"
            + madeAt
            + "; start this build with "
            + words.instead()
            + ", or export the data first with the jar that made it.");
  }

  private static boolean hasRow(Connection connection) throws SQLException {
    try (var columns =
        connection.getMetaData().getColumns(null, connection.getSchema(), BUILD, "fingerprint")) {
      return columns.next();
    }
  }
}
