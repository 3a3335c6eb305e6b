package org.habitline.ops.start;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.micronaut.context.ApplicationContext;
import io.micronaut.runtime.server.EmbeddedServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.habitline.Patience;
import org.habitline.TestDatabase;
import org.habitline.ops.database.Doors;
import org.habitline.ops.database.OwnConnections;
import org.habitline.ops.database.Schema;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Starts that fail, and what the operator is told. */
@Order(1)
class StartFailureTest {

  private final Path home = Doors.freshHome();

  /** Starts in vain and returns what the operator reads. */
  private String told(Map<String, Object> settings) {
    var properties =
        new HashMap<String, Object>(
            Map.of("habitline.home", home.toString(), "habitline.port", "0"));
    properties.putAll(settings);
    var failure =
        catchThrowable(() -> ApplicationContext.run(EmbeddedServer.class, properties).close());
    assertThat(failure).as("the start fails").isNotNull();
    return told(failure);
  }

  private static String told(Throwable failure) {
    var err = new ByteArrayOutputStream();
    StartFailure.tell(failure, new PrintStream(err, true, StandardCharsets.UTF_8));
    return err.toString(StandardCharsets.UTF_8);
  }

  private static void oneSentence(String told, String... words) {
    assertThat(told.lines()).hasSize(1);
    assertThat(told).startsWith("Habitline did not start. ").contains(words);
  }

  @Test
  void aPortInUseIsNamed() throws IOException {
    try (var other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      oneSentence(
          told(Map.of("habitline.port", other.getLocalPort())),
          "HABITLINE_PORT: the port is in use");
    }
  }

  @Test
  void anAddressOfAnotherMachineIsNamed() {
    oneSentence(told(Map.of("habitline.host", "192.0.2.1")), "HABITLINE_HOST: this machine has no");
  }

  @Test
  void aNameOfNoMachineIsNamed() {
    oneSentence(
        told(Map.of("habitline.host", "no-such-host.invalid")), "HABITLINE_HOST: this machine has");
  }

  @Test
  void aDatabaseThatAnotherProcessUsesIsNamed() throws IOException {
    Doors.open(Map.of("habitline.home", home.toString())).close();
    try (var file =
            FileChannel.open(
                home.resolve("data/habitline.mv.db"),
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        var lock = file.lock()) {
      assertThat(lock.isValid()).isTrue();
      oneSentence(told(Map.of()), "HABITLINE_HOME: the database", "open in another process");
    }
  }

  @Test
  void aDataFolderThatIsNoFolderIsNamed() throws IOException {
    Files.writeString(home.resolve("data"), "a file");
    oneSentence(told(Map.of()), "HABITLINE_HOME: a file cannot be written in");
  }

  @Test
  void aDatabaseThatIsNoneIsNamed() throws IOException {
    Files.createDirectories(home.resolve("data"));
    Files.writeString(home.resolve("data/habitline.mv.db"), "nothing of the kind".repeat(1000));
    oneSentence(told(Map.of()), "HABITLINE_HOME: the database", "damaged");
  }

  @Test
  void anIndexThatDoesNotFitItsTableIsADamage() {
    oneSentence(
        told(new IllegalStateException(new SQLException("Row not found", "90112", 90112))),
        "the database in its data folder is damaged",
        "restore a backup");
  }

  @Test
  void aBrokenFlowIsNamed() throws IOException {
    var flow = Files.createDirectories(home.resolve("config/flows/habit"));
    Files.writeString(flow.resolve("flow.yaml"), "flow: habit");
    var told = told(Map.of());
    assertThat(told).containsPattern("The flows have \\d+ mistakes:");
    assertThat(told.lines().skip(1))
        .as("one line for each mistake")
        .hasSizeGreaterThan(1)
        .allMatch(line -> line.contains("config/flows/habit/flow.yaml: "));
  }

  @Test
  void aSettingsFileThatIsNoYamlIsNamedWithItsLine() throws IOException {
    var file = home.resolve("application.yml");
    Files.writeString(file, "habitline:\n  port: 8081\n  flow: [\n");
    var failure =
        catchThrowable(() ->
            ApplicationContext.builder()
                .overrideConfigLocations("file:" + home + "/")
                .build()
                .getEnvironment()
                .start());
    oneSentence(told(failure), "config/application.yml", "line 4");
  }

  @ParameterizedTest
  @CsvSource({
    "53300, DATABASE_URL: the database has no free connection",
    "57P03, DATABASE_URL: the database is starting or stopping",
    "25006, DATABASE_URL: the database is read-only",
  })
  void whatPostgresqlRefusesIsNamed(String state, String words) {
    oneSentence(told(new IllegalStateException(new SQLException("in its words", state))), words);
  }

  @Test
  void aUserWhoMayMakeNoTablesIsNamed() throws SQLException {
    var database = new HashMap<>(TestDatabase.emptyPostgres());
    try (var connection =
            DriverManager.getConnection(
                String.valueOf(database.get("database.url")), "postgres", "postgres");
        var statement = connection.createStatement()) {
      statement.execute("CREATE ROLE guest LOGIN PASSWORD 'guest'");
    }
    database.put("database.user", "guest");
    database.put("database.password", "guest");
    oneSentence(
        told(database), "DATABASE_USER: the user is not allowed to create or use the tables");
  }

  @Test
  void aTableThatSomebodyHoldsWhileTheTablesAreMadeIsTheCauseThatIsNamed() throws SQLException {
    var url = String.valueOf(TestDatabase.emptyPostgres().get("database.url"));
    var connections = new OwnConnections(url, "postgres", "postgres", Duration.ofMillis(200));
    try (var holder = DriverManager.getConnection(url, "postgres", "postgres");
        var statement = holder.createStatement()) {
      // The script meets a table that is there for nobody yet, and waits for it.
      holder.setAutoCommit(false);
      statement.execute("CREATE TABLE address (id bigint)");
      oneSentence(
          told(catchThrowable(() -> Schema.prepare(connections))),
          "could not be made: another client locked a table");
      holder.rollback();
    }
    Schema.prepare(connections);
  }

  @Test
  void aConnectionThatBreaksOffMeanwhileIsNoDatabaseThatCannotBeReached() throws SQLException {
    var url = String.valueOf(TestDatabase.emptyPostgres().get("database.url"));
    var connections = new OwnConnections(url, "postgres", "postgres", Duration.ofSeconds(5));
    try (var holder = DriverManager.getConnection(url, "postgres", "postgres");
        var statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute("CREATE TABLE address (id bigint)");
      var failure = new AtomicReference<Throwable>();
      var starting =
          Thread.ofVirtual()
              .start(() -> failure.set(catchThrowable(() -> Schema.prepare(connections))));
      await()
          .until(() -> {
            try (var other = DriverManager.getConnection(url, "postgres", "postgres");
                var ending = other.createStatement();
                var ended =
                    ending.executeQuery(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                            + " WHERE wait_event_type = 'Lock' AND datname = current_database()")) {
              return ended.next();
            }
          });
      assertThat(starting.join(Patience.LONG)).isTrue();
      oneSentence(told(failure.get()), "could not be made: ", "ended the connection");
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aPasswordThatIsAskedForAndNotSetIsNamed() throws SQLException, IOException {
    var database = new HashMap<>(TestDatabase.emptyPostgres());
    var url = String.valueOf(database.get("database.url"));
    mustGiveAPassword(url, "keyed");
    database.put("database.user", "keyed");
    database.put("database.password", "");
    oneSentence(
        told(database), "DATABASE_PASSWORD: the database requires a password, but none is set.");
    database.put("database.password", "another-password");
    oneSentence(
        told(database),
        "DATABASE_USER, DATABASE_PASSWORD: the database rejects this user or password.");
  }

  /** The server of the tests trusts everybody whom its rules do not name before. */
  private static void mustGiveAPassword(String url, String user) throws SQLException, IOException {
    try (var connection = DriverManager.getConnection(url, "postgres", "postgres");
        var statement = connection.createStatement();
        var shown = statement.executeQuery("SHOW hba_file")) {
      shown.next();
      var rules = Path.of(shown.getString(1));
      Files.writeString(
          rules, "host all " + user + " all scram-sha-256\n" + Files.readString(rules));
      statement.execute("CREATE ROLE " + user + " LOGIN PASSWORD 'a-password'");
      statement.execute("SELECT pg_reload_conf()");
    }
    await()
        .until(
            () -> catchThrowable(() -> DriverManager.getConnection(url, user, "").close()) != null);
  }

  @Test
  void aDatabaseThatRefusesHowTheLineConnectsIsNamed() {
    oneSentence(
        told(new IllegalStateException(new SQLException("no SSL", "08004"))),
        "DATABASE_URL, DATABASE_PASSWORD: the database can be reached but refuses the connection");
  }

  @Test
  void aFileOfAnotherBuildIsNamed() throws SQLException {
    Doors.open(Map.of("habitline.home", home.toString())).close();
    try (var connection =
            DriverManager.getConnection(
                "jdbc:h2:file:" + home.resolve("data/habitline") + ";DATABASE_TO_LOWER=TRUE",
                "habitline",
                "");
        var statement = connection.createStatement()) {
      statement.execute("DROP TABLE \"build\"");
    }
    oneSentence(
        told(Map.of()),
        "HABITLINE_HOME: the database in its data folder was made by another build of Habitline",
        "start this build with a new data folder, or export the data first");
  }

  @Test
  void tablesOfAnotherBuildOnPostgresqlAreNamed() throws SQLException {
    var database = TestDatabase.postgres();
    try (var connection =
            DriverManager.getConnection(
                String.valueOf(database.get("database.url")), "postgres", "postgres");
        var statement = connection.createStatement()) {
      statement.execute("UPDATE build SET fingerprint = 'another'");
    }
    oneSentence(
        told(database),
        "DATABASE_URL: the tables in the database were made by another build of Habitline",
        "start this build with an empty database, or export the data first");
  }

  @Test
  void whatADatabaseSaysOfAFailureThatNobodyKnowsIsNotRepeated() {
    var failure =
        new IllegalStateException(
            "Could not: key (+12065550123)", new SQLException("key (+12065550123)", "23505"));
    assertThat(told(failure))
        .contains("because of an unexpected failure", "SQLSTATE 23505", "\tat ")
        .doesNotContain("2065550123");
  }

  @Test
  void aMistakeInTheProgramIsToldWithEveryDetail() {
    assertThat(told(new IllegalStateException("outer", new NullPointerException("inner"))))
        .contains("because of an unexpected failure", "outer", "inner", "\tat ");
  }
}
