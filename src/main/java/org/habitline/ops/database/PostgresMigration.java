package org.habitline.ops.database;

import io.micronaut.core.value.PropertyResolver;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Moves all data from the H2 file to an empty PostgreSQL database. The file is only read: a copy of
 * it is opened, made while no other process can have the file open, and deleted afterwards.
 * Everything is copied in one transaction, so the target gets all of it or nothing; generated
 * numbers continue where the file's ended. Quartz's tables are not copied: the next start sets its
 * triggers again from the wake-ups.
 */
public final class PostgresMigration {

  /** Cursors on the file, so that a large table is not read at once. */
  private static final String LAZY = ";LAZY_QUERY_EXECUTION=1";

  /** What the tables are made with. */
  private static final Set<String> OF_THE_SCHEMA = Set.of(Schema.HISTORY, Schema.BUILD);

  private static final String QUARTZ = "qrtz_";
  private static final int ROWS_AT_ONCE = 200;

  private final OwnConnections source;
  private final Path file;
  private final OwnConnections target;

  private PostgresMigration(OwnConnections source, Path file, OwnConnections target) {
    this.source = source;
    this.file = file;
    this.target = target;
  }

  /**
   * Returns a move between the databases that the settings name.
   *
   * @throws DatabaseRefused if there is nothing to move, or no target
   */
  public static PostgresMigration of(PropertyResolver settings) {
    var to = text(settings, "database.url");
    if (!DatabaseChoice.understands(to)) {
      throw new DatabaseRefused(
          "DATABASE_URL: not set; expected the PostgreSQL database to move to, as"
              + " jdbc:postgresql://host/database.");
    }
    var source =
        connections(
            text(settings, "datasources.default.url"),
            text(settings, "datasources.default.username"),
            text(settings, "datasources.default.password"));
    var file =
        source
            .file()
            .orElseThrow(
                () -> new DatabaseRefused("The database of this service is not an H2 file."));
    if (!Files.isRegularFile(file)) {
      throw new DatabaseRefused(
          "HABITLINE_HOME: there is no database file in its data folder; expected "
              + file.getFileName()
              + ".");
    }
    if (Files.exists(file.resolveSibling(Backups.MARK))) {
      throw new DatabaseRefused(
          "HABITLINE_HOME: its data folder holds a restored backup that was not started yet. Start"
              + " the service, decide on Today what becomes of what waits, stop it, and move then.");
    }
    var address =
        DatabaseChoice.Address.of(
            to, text(settings, "database.user"), text(settings, "database.password"));
    return new PostgresMigration(
        source, file, connections(address.url(), address.user(), address.password()));
  }

  private static OwnConnections connections(String url, String user, String password) {
    return new OwnConnections(url, user, password, OwnConnections.LOCK_WAIT);
  }

  private static String text(PropertyResolver settings, String key) {
    return settings.getProperty(key, String.class).orElse("").strip();
  }

  /**
   * Moves everything and prints the number of rows of each table.
   *
   * @throws DatabaseRefused if the service is running, the target is not empty, or another build
   *     made either database
   */
  public void carryOut(PrintStream out) throws SQLException, IOException {
    var folder = copied();
    try (var from = source.to(folder.resolve(file.getFileName()), LAZY).open();
        var to = target.open()) {
      if (!isEmpty(to)) {
        throw new DatabaseRefused("DATABASE_URL: the database is not empty; name an empty one.");
      }
      Schema.refuseOthers(from, Schema.OF_THE_FILE);
      Schema.prepare(target);
      to.setAutoCommit(false);
      var moved = copyAll(from, to);
      to.commit();
      moved.forEach((table, rows) -> out.println("  " + table + ": " + rows + " rows"));
      out.println(
          "Moved "
              + moved.values().stream().mapToLong(Long::longValue).sum()
              + " rows of "
              + moved.size()
              + " tables. Start the service with the same DATABASE_URL. The file is unchanged;"
              + " store it safely.");
    } finally {
      delete(folder);
    }
  }

  // --- the file ---

  /** Copies the file and returns the folder of the copy. */
  private Path copied() throws IOException {
    var folder = Files.createTempDirectory(file.getParent(), "moving-");
    var copy = folder.resolve(file.getFileName());
    try (var original = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        var sink =
            FileChannel.open(
                copy,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PrivateFiles.ownersOnly("rw-------"))) {
      if (original.tryLock() == null) {
        throw running();
      }
      for (long at = 0; at < original.size(); ) {
        at += original.transferTo(at, original.size() - at, sink);
      }
      return folder;
    } catch (OverlappingFileLockException e) {
      delete(folder);
      throw running();
    } catch (RuntimeException | IOException e) {
      delete(folder);
      throw e;
    }
  }

  private static DatabaseRefused running() {
    return new DatabaseRefused("The service is running on the file; stop it first.");
  }

  private static void delete(Path folder) throws IOException {
    try (var files = Files.walk(folder)) {
      for (var each : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    }
  }

  // --- the target ---

  /**
   * Returns whether the target has no rows: an earlier failed try leaves the tables and the name of
   * the build.
   */
  private static boolean isEmpty(Connection to) throws SQLException {
    var tables = tables(to, "current_schema()");
    var ours = tables.contains(Schema.BUILD);
    tables.removeAll(OF_THE_SCHEMA);
    for (var table : tables) {
      if (!ours || count(to, table) > 0) {
        return false;
      }
    }
    return true;
  }

  private static Set<String> tables(Connection connection, String schema) throws SQLException {
    return new HashSet<>(
        column(
            connection,
            "SELECT table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE' AND table_schema = "
                + schema));
  }

  // --- rows ---

  private static Map<String, Long> copyAll(Connection from, Connection to) throws SQLException {
    var moved = new LinkedHashMap<String, Long>();
    var there = tables(to, "current_schema()");
    for (var table : inOrder(to, moving(from))) {
      if (!there.contains(table)) {
        throw new DatabaseRefused("The table " + table + " has no counterpart in this version.");
      }
      var rows = copy(table, from, to);
      if (rows != count(from, table) || rows != count(to, table)) {
        throw new DatabaseRefused(
            "Not every row of " + table + " was copied; the copy was undone.");
      }
      goOn(table, from, to);
      moved.put(table, rows);
    }
    return moved;
  }

  private static List<String> moving(Connection from) throws SQLException {
    return tables(from, "'public'").stream()
        .filter(table -> !OF_THE_SCHEMA.contains(table) && !table.startsWith(QUARTZ))
        .sorted()
        .toList();
  }

  /** Returns the tables in foreign-key order: parents first. */
  private static List<String> inOrder(Connection to, List<String> tables) throws SQLException {
    var ordered = new ArrayList<String>();
    var left = new ArrayList<>(tables);
    while (!left.isEmpty()) {
      var next = new ArrayList<String>();
      for (var table : left) {
        var needs = referred(to, table);
        needs.remove(table);
        needs.retainAll(left);
        if (needs.isEmpty()) {
          next.add(table);
        }
      }
      if (next.isEmpty()) {
        throw new IllegalStateException("Tables with circular foreign keys: " + left);
      }
      ordered.addAll(next);
      left.removeAll(next);
    }
    return ordered;
  }

  private static Set<String> referred(Connection to, String table) throws SQLException {
    var referred = new HashSet<String>();
    try (var keys = to.getMetaData().getImportedKeys(null, to.getSchema(), table)) {
      while (keys.next()) {
        referred.add(keys.getString("PKTABLE_NAME"));
      }
    }
    return referred;
  }

  private static long copy(String table, Connection from, Connection to) throws SQLException {
    var columns = columns(from, table);
    var names = columns.stream().map(PostgresMigration::quoted).collect(Collectors.joining(", "));
    var places = columns.stream().map(column -> "?").collect(Collectors.joining(", "));
    try (var read = from.createStatement();
        var rows = read.executeQuery("SELECT " + names + " FROM " + quoted(table));
        var write =
            to.prepareStatement(
                "INSERT INTO " + quoted(table) + " (" + names + ") VALUES (" + places + ")")) {
      long count = 0;
      while (rows.next()) {
        for (int i = 1; i <= columns.size(); i++) {
          write.setObject(i, value(rows, i));
        }
        write.addBatch();
        count++;
        if (count % ROWS_AT_ONCE == 0) {
          write.executeBatch();
        }
      }
      write.executeBatch();
      return count;
    }
  }

  /** Removes NUL characters, which PostgreSQL refuses and which have no meaning. */
  private static @Nullable Object value(ResultSet rows, int column) throws SQLException {
    return rows.getObject(column) instanceof String text
        ? text.replace("\0", "")
        : rows.getObject(column);
  }

  /** Continues generated numbers where the file's ended, so that none is used twice. */
  private static void goOn(String table, Connection from, Connection to) throws SQLException {
    try (var identities =
        from.prepareStatement(
            "SELECT column_name, identity_base FROM information_schema.columns"
                + " WHERE table_schema = 'public' AND table_name = ? AND is_identity = 'YES'")) {
      identities.setString(1, table);
      try (var found = identities.executeQuery()) {
        while (found.next()) {
          goOn(table, found.getString(1), found.getLong(2), to);
        }
      }
    }
  }

  private static void goOn(String table, String column, long next, Connection to)
      throws SQLException {
    try (var set =
        to.prepareStatement(
            "SELECT setval(pg_get_serial_sequence(?, ?), GREATEST(?, (SELECT COALESCE(MAX("
                + quoted(column)
                + "), 0) + 1 FROM "
                + quoted(table)
                + ")), false)")) {
      set.setString(1, quoted(table));
      set.setString(2, column);
      set.setLong(3, next);
      set.execute();
    }
  }

  private static List<String> columns(Connection from, String table) throws SQLException {
    return column(
        from,
        "SELECT column_name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = '"
            + table
            + "' ORDER BY ordinal_position");
  }

  private static List<String> column(Connection connection, String query) throws SQLException {
    var found = new ArrayList<String>();
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery(query)) {
      while (rows.next()) {
        found.add(rows.getString(1));
      }
    }
    return List.copyOf(found);
  }

  private static long count(Connection connection, String table) throws SQLException {
    return Long.parseLong(column(connection, "SELECT COUNT(*) FROM " + quoted(table)).getFirst());
  }

  private static String quoted(String name) {
    return '"' + name + '"';
  }
}
