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
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.flywaydb.core.api.MigrationInfo;
import org.jspecify.annotations.Nullable;

/**
 * Moves all data from the H2 file to an empty PostgreSQL database. The file is only read: a copy of
 * it is opened, made while no other process can have the file open, and deleted afterwards.
 * Everything is copied in one transaction, so the target gets all of it or nothing; generated
 * numbers continue where the file's ended. Quartz's tables are not copied: the next start sets its
 * triggers again from the wake-ups.
 */
public final class PostgresMigration {

  private static final String FILE = "jdbc:h2:file:";
  private static final String SUFFIX = ".mv.db";
  private static final String HISTORY = "flyway_schema_history";
  private static final String QUARTZ = "qrtz_";
  private static final int ROWS_AT_ONCE = 200;

  private final String url;
  private final Path file;
  private final String user;
  private final String password;
  private final DatabaseChoice.Address target;

  private PostgresMigration(
      String url, Path file, String user, String password, DatabaseChoice.Address target) {
    this.url = url;
    this.file = file;
    this.user = user;
    this.password = password;
    this.target = target;
  }

  /** Thrown when nothing can be moved; the message tells the operator why. */
  public static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private Refused(String sentence) {
      super(sentence, null, false, false);
    }
  }

  /**
   * Returns a move between the databases that the settings name.
   *
   * @throws Refused if there is nothing to move, or no target
   */
  public static PostgresMigration of(PropertyResolver settings) {
    var to = text(settings, "database.url");
    if (!DatabaseChoice.understands(to)) {
      throw new Refused(
          "DATABASE_URL: not set; expected the PostgreSQL database to move to, as"
              + " jdbc:postgresql://host/database.");
    }
    var url = text(settings, "datasources.default.url");
    if (!url.startsWith(FILE)) {
      throw new Refused("The database of this service is not an H2 file.");
    }
    var end = url.indexOf(';');
    var file =
        Path.of(url.substring(FILE.length(), end < 0 ? url.length() : end) + SUFFIX)
            .toAbsolutePath();
    if (!Files.isRegularFile(file)) {
      throw new Refused(
          "HABITLINE_HOME: there is no database file in its data folder; expected "
              + file.getFileName()
              + ".");
    }
    return new PostgresMigration(
        end < 0 ? "" : url.substring(end),
        file,
        text(settings, "datasources.default.username"),
        text(settings, "datasources.default.password"),
        DatabaseChoice.Address.of(
            to, text(settings, "database.user"), text(settings, "database.password")));
  }

  private static String text(PropertyResolver settings, String key) {
    return settings.getProperty(key, String.class).orElse("").strip();
  }

  /**
   * Moves everything and prints the number of rows of each table.
   *
   * @throws Refused if the service is running, the target is not empty, or the versions differ
   */
  public void carryOut(PrintStream out) throws SQLException, IOException {
    var folder = copied();
    try (var from = DriverManager.getConnection(opened(folder), user, password);
        var to = DriverManager.getConnection(target.url(), target.user(), target.password())) {
      if (!isEmpty(to)) {
        throw new Refused("DATABASE_URL: the database is not empty; name an empty one.");
      }
      prepare(from);
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

  private String opened(Path folder) {
    var path = folder.resolve(file.getFileName()).toString();
    return FILE
        + path.substring(0, path.length() - SUFFIX.length())
        + url
        + ";LAZY_QUERY_EXECUTION=1";
  }

  /** Copies the file and returns the folder of the copy. */
  private Path copied() throws IOException {
    var folder = Files.createTempDirectory(file.getParent(), "moving-");
    var copy = folder.resolve(file.getFileName());
    try (var source = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        var sink =
            FileChannel.open(
                copy,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PrivateFiles.ownersOnly("rw-------"))) {
      if (source.tryLock() == null) {
        throw running();
      }
      for (long at = 0; at < source.size(); ) {
        at += source.transferTo(at, source.size() - at, sink);
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

  private static Refused running() {
    return new Refused("The service is running on the file; stop it first.");
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
   * Returns whether the target is empty, or holds only our own tables without rows, which an
   * earlier failed try leaves.
   */
  private static boolean isEmpty(Connection to) throws SQLException {
    var tables = tables(to, "current_schema()");
    if (tables.isEmpty()) {
      return true;
    }
    if (!tables.contains(HISTORY)) {
      return false;
    }
    for (var table : tables) {
      if (!table.equals(HISTORY) && count(to, table) > 0) {
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

  private void prepare(Connection from) throws SQLException {
    var flyway =
        Migrations.of(
            new OwnConnections(
                target.url(), target.user(), target.password(), OwnConnections.LOCK_WAIT));
    var ours =
        Arrays.stream(flyway.info().all())
            .map(MigrationInfo::getVersion)
            .map(String::valueOf)
            .collect(Collectors.toSet());
    if (!tables(from, "'public'").contains(HISTORY)) {
      throw new Refused("The file in the data folder is not a Habitline database.");
    }
    var theirs =
        Set.copyOf(column(from, "SELECT version FROM " + HISTORY + " WHERE version IS NOT NULL"));
    if (!theirs.equals(ours)) {
      throw new Refused(
          ours.containsAll(theirs)
              ? "The file is from an earlier version. Start this version on the file once, stop it,"
                  + " and run the command again."
              : "The file is from a later version than this program; move it with the version that"
                  + " last ran on it.");
    }
    flyway.migrate();
  }

  // --- rows ---

  private static Map<String, Long> copyAll(Connection from, Connection to) throws SQLException {
    var moved = new LinkedHashMap<String, Long>();
    var there = tables(to, "current_schema()");
    for (var table : inOrder(to, moving(from))) {
      if (!there.contains(table)) {
        throw new Refused("The table " + table + " has no counterpart in this version.");
      }
      var rows = copy(table, from, to);
      if (rows != count(from, table) || rows != count(to, table)) {
        throw new Refused("Not every row of " + table + " was copied; the copy was undone.");
      }
      goOn(table, from, to);
      moved.put(table, rows);
    }
    return moved;
  }

  private static List<String> moving(Connection from) throws SQLException {
    return tables(from, "'public'").stream()
        .filter(table -> !table.equals(HISTORY) && !table.startsWith(QUARTZ))
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
