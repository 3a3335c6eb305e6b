package org.habitline.ops.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.habitline.TestDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a start finds where its tables should be: nothing, its own, half of them, or others'. */
final class SchemaStartTest {

  private static final String OPTIONS = ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE";

  private static final String OF_ANOTHER_BUILD =
      "UPDATE build SET fingerprint = 'another', made_at = timestamp with time zone '2026-03-01 12:00:00+00'";

  @TempDir Path home;

  private Path data() {
    return home.resolve("data");
  }

  private Path file() {
    return data().resolve("habitline.mv.db");
  }

  private Path next() {
    return data().resolve("habitline.next.mv.db");
  }

  private OwnConnections h2() {
    return connections("jdbc:h2:file:" + data().resolve("habitline") + OPTIONS, "habitline", "");
  }

  private static OwnConnections postgres(Map<String, Object> database) {
    return connections(
        String.valueOf(database.get("database.url")),
        String.valueOf(database.get("database.user")),
        String.valueOf(database.get("database.password")));
  }

  private static OwnConnections connections(String url, String user, String password) {
    return new OwnConnections(url, user, password, OwnConnections.LOCK_WAIT);
  }

  private static void write(OwnConnections database, String... statements) throws SQLException {
    try (var connection =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        var statement = connection.createStatement()) {
      for (var sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** The first column of what a query finds. */
  private static List<String> read(OwnConnections database, String sql) throws SQLException {
    try (var connection =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      var found = new ArrayList<String>();
      while (rows.next()) {
        found.add(rows.getString(1));
      }
      return found;
    }
  }

  private static void isComplete(OwnConnections database) throws SQLException {
    assertThat(read(database, "SELECT fingerprint FROM build")).hasSize(1);
    assertThat(
            read(database, "SELECT version FROM flyway_schema_history WHERE version IS NOT NULL"))
        .containsExactly("1");
    assertThat(read(database, "SELECT id FROM participant")).isEmpty();
  }

  // --- H2 ---

  @Test
  void aNewFileGetsItsNameWhenItIsComplete() throws Exception {
    Schema.prepare(h2());
    isComplete(h2());
    assertThat(data()).isDirectoryNotContaining("glob:**next*");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("rw-------");

    var bytes = Files.readAllBytes(file());
    Schema.prepare(h2());
    assertThat(file()).hasBinaryContent(bytes);
  }

  @Test
  void whatAKilledStartLeftIsDeleted() throws Exception {
    Files.createDirectories(data());
    Files.writeString(next(), "half a file");
    Files.createFile(file());
    Schema.prepare(h2());
    isComplete(h2());
    assertThat(next()).doesNotExist();

    Files.writeString(next(), "half a file");
    Schema.prepare(h2());
    assertThat(next()).doesNotExist();
  }

  @Test
  void aFileThatAnotherProcessMakesIsNoLeftover() throws Exception {
    Files.createDirectories(data());
    Files.writeString(next(), "half a file");
    try (var channel = FileChannel.open(next(), StandardOpenOption.WRITE);
        var lock = channel.lock()) {
      assertThat(lock.isValid()).isTrue();
      assertThatThrownBy(() -> Schema.prepare(h2()))
          .isInstanceOfSatisfying(
              SQLException.class, it -> assertThat(it.getErrorCode()).isEqualTo(90020));
      assertThat(next()).hasContent("half a file");
    }
  }

  /** H2 stores a part of a transaction that outgrows its buffer; the next look undoes it. */
  @Test
  void aFileWhoseProcessWasKilledInALargeTransactionIsOpened() throws Exception {
    Schema.prepare(h2());
    var killed = data().resolve("killed.mv.db");
    try (var connection =
            DriverManager.getConnection(h2().url() + ";CACHE_SIZE=1024", "habitline", "");
        var statement = connection.createStatement()) {
      statement.execute("CREATE TABLE words (id bigint, word varchar(100000))");
      statement.execute(
          "INSERT INTO words SELECT \"X\", repeat('a', 1000) FROM system_range(1, 100000)");
      connection.setAutoCommit(false);
      statement.executeUpdate("UPDATE words SET word = repeat('b', 1000)");
      statement.execute("CHECKPOINT");
      Files.copy(file(), killed);
      connection.rollback();
    }
    Files.move(killed, file(), StandardCopyOption.REPLACE_EXISTING);
    Schema.prepare(h2());
    assertThat(read(h2(), "SELECT count(*) FROM words WHERE word LIKE 'a%'"))
        .containsExactly("100000");
    isComplete(h2());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        OF_ANOTHER_BUILD,
        "DELETE FROM build",
        "DROP TABLE build",
        "ALTER TABLE build RENAME COLUMN fingerprint TO number",
        "DROP ALL OBJECTS",
      })
  void aFileOfAnotherBuildIsRefusedAndStaysAsItIs(String change) throws Exception {
    Schema.prepare(h2());
    write(h2(), change);
    var bytes = Files.readAllBytes(file());
    assertThatThrownBy(() -> Schema.prepare(h2()))
        .isInstanceOf(DatabaseRefused.class)
        .hasMessage(
            "HABITLINE_HOME: the database in its data folder was made by another build of Habitline"
                + (change.equals(OF_ANOTHER_BUILD) ? " on 2026-03-01" : "")
                + "; start this build with a new data folder, or export the data first with the jar"
                + " that made it.");
    assertThat(file()).hasBinaryContent(bytes);
  }

  @Test
  void besideTheFilesOfAStudyNoEmptyFileIsTakenForIt() throws Exception {
    var files = List.of("suppression.key", "erasures.jsonl");
    for (int kind = 0; kind < 2; kind++) {
      assertThatThrownBy(() -> Schema.prepare(h2(), files))
          .isInstanceOf(DatabaseRefused.class)
          .hasMessage(
              "HABITLINE_HOME: it holds suppression.key, erasures.jsonl of a study, but its data"
                  + " folder holds no database. Mount or restore the data of that study; for a new"
                  + " study, move these files away.");
      assertThat(next()).doesNotExist();
      if (kind == 0) {
        assertThat(file()).doesNotExist();
        Files.createDirectories(data());
        Files.createFile(file());
      }
    }
    assertThat(file()).isEmptyFile();
    Schema.prepare(h2(), List.of());
    Schema.prepare(h2(), files);
    isComplete(h2());
  }

  @Test
  void aHomeThatCannotBeWrittenAndADiskWithoutRoomEndTheStart() throws Exception {
    Files.createDirectories(data());
    new FreeSpace(home.toString(), "").check();
    assertThat(data()).isEmptyDirectory();
    assertThatThrownBy(() -> new TestSpace(home, 19 << 20).check())
        .isInstanceOf(DatabaseRefused.class)
        .hasMessage(
            "HABITLINE_HOME: less than 20 MB are free on the disk of '"
                + data()
                + "'; the service starts when there is more room.");
    Files.delete(data());
    Files.createFile(data());
    for (var server : List.of("", "jdbc:postgresql://db.example/habitline")) {
      // With PostgreSQL only the files in the home itself are written.
      var space = new FreeSpace(server.isEmpty() ? home.toString() : data().toString(), server);
      assertThatThrownBy(space::check)
          .isInstanceOf(DatabaseRefused.class)
          .hasMessageStartingWith(
              "HABITLINE_HOME: a file cannot be written in '"
                  + data()
                  + "' and forced to its disk.");
    }
  }

  // --- PostgreSQL ---

  @Test
  void besideTheFilesOfAStudyNoEmptyDatabaseIsTakenForIt() throws SQLException {
    var database = postgres(TestDatabase.emptyPostgres());
    assertThatThrownBy(() -> Schema.prepare(database, List.of("accounts.key")))
        .isInstanceOf(DatabaseRefused.class)
        .hasMessageStartingWith(
            "HABITLINE_HOME: it holds accounts.key of a study, but the database of DATABASE_URL has no"
                + " tables.");
    assertThat(tables(database)).isEmpty();
    Schema.prepare(database);
    Schema.prepare(database, List.of("accounts.key"));
    isComplete(database);
  }

  @Test
  void anEmptyDatabaseGetsItsTablesOnce() throws SQLException {
    var database = postgres(TestDatabase.emptyPostgres());
    Schema.prepare(database);
    isComplete(database);
    var made = read(database, "SELECT xmin FROM build");
    Schema.prepare(database);
    isComplete(database);
    assertThat(read(database, "SELECT xmin FROM build")).isEqualTo(made);
  }

  @Test
  void aStartThatWasKilledBetweenTheTablesAndTheirHistoryIsFinished() throws SQLException {
    var database = postgres(TestDatabase.postgres());
    for (var left :
        List.of("DELETE FROM flyway_schema_history", "DROP TABLE flyway_schema_history")) {
      write(database, left);
      Schema.prepare(database);
      isComplete(database);
    }
  }

  @Test
  void aStartThatFindsOnlyTheHistoryOfTablesMakesThem() throws SQLException {
    for (var history :
        List.of("DELETE FROM flyway_schema_history", "SELECT 1 FROM flyway_schema_history")) {
      var database = postgres(TestDatabase.postgres());
      write(database, history);
      for (var table : tables(database)) {
        if (!table.equals("flyway_schema_history")) {
          write(database, "DROP TABLE " + table + " CASCADE");
        }
      }
      Schema.prepare(database);
      isComplete(database);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        OF_ANOTHER_BUILD,
        "DELETE FROM build",
        "DROP TABLE build",
        "ALTER TABLE build RENAME COLUMN fingerprint TO number",
      })
  void tablesOfAnotherBuildAreRefusedAndStayAsTheyAre(String change) throws SQLException {
    var database = postgres(TestDatabase.postgres());
    write(database, change);
    var before = tables(database);
    assertThatThrownBy(() -> Schema.prepare(database))
        .isInstanceOf(DatabaseRefused.class)
        .hasMessage(
            "DATABASE_URL: the tables in the database were made by another build of Habitline"
                + (change.equals(OF_ANOTHER_BUILD) ? " on 2026-03-01" : "")
                + "; start this build with an empty database, or export the data first with the jar"
                + " that made it.");
    assertThat(tables(database)).isEqualTo(before);
  }

  @Test
  void tablesOfAnotherProgramAreRefusedToo() throws SQLException {
    var database = postgres(TestDatabase.emptyPostgres());
    write(database, "CREATE TABLE address (street text)");
    assertThatThrownBy(() -> Schema.prepare(database)).isInstanceOf(DatabaseRefused.class);
    assertThat(tables(database)).containsExactly("address");
  }

  private static List<String> tables(OwnConnections database) throws SQLException {
    return read(
        database, "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename");
  }

  @Test
  void twoNodesThatStartAtOnceMakeTheTablesOnce() throws Exception {
    var database = postgres(TestDatabase.emptyPostgres());
    try (var holder =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        var statement = holder.createStatement();
        var nodes = Executors.newVirtualThreadPerTaskExecutor()) {
      // The script meets a table that is there for nobody yet, and waits.
      holder.setAutoCommit(false);
      statement.execute("CREATE TABLE address (id bigint)");
      Callable<Void> start =
          () -> {
            Schema.prepare(database);
            return null;
          };
      var first = nodes.submit(start);
      var second = nodes.submit(start);
      await()
          .until(() ->
              read(
                          database,
                          "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                              + " AND datname = current_database()")
                      .size()
                  == 2);
      holder.rollback();
      first.get();
      second.get();
    }
    isComplete(database);
  }
}
