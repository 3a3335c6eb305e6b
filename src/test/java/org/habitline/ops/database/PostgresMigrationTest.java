package org.habitline.ops.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.micronaut.context.ApplicationContext;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.habitline.RunningLine;
import org.habitline.TestDatabase;
import org.habitline.llm.openai.Scripted;
import org.habitline.ops.start.PostgresMigrationCommand;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.timers.Sweeps;
import org.junit.jupiter.api.Test;

/** A line that outgrows its file. */
class PostgresMigrationTest {

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int move(Path home, Map<String, Object> target) {
    var properties = new HashMap<>(target);
    properties.put("habitline.home", home.toString());
    try (var context = ApplicationContext.builder().properties(properties).build()) {
      context.getEnvironment().start();
      return PostgresMigrationCommand.run(context.getEnvironment(), printing(out), printing(err));
    }
  }

  private static PrintStream printing(ByteArrayOutputStream to) {
    return new PrintStream(to, true, StandardCharsets.UTF_8);
  }

  private String said(ByteArrayOutputStream where) {
    return where.toString(StandardCharsets.UTF_8);
  }

  private static Participant scheduled(RunningLine line) {
    var robin = line.greeted();
    line.fake()
        .then(
            Scripted.call(
                "save_user_profile",
                "{\"prompt_anchor\":\"while the coffee brews\",\"preferred_time\":\"9:30\"}"),
            Scripted.call(
                "scheduler", "{\"action\":\"create\",\"type\":\"fixed\",\"fixed_time\":\"09:30\"}"),
            Scripted.say("Planned."));
    line.answered(robin, "at 9:30 please");
    return robin;
  }

  private static String fingerprint(Path home) throws IOException, NoSuchAlgorithmException {
    return HexFormat.of()
        .formatHex(
            MessageDigest.getInstance("SHA-256")
                .digest(Files.readAllBytes(home.resolve("data/habitline.mv.db"))));
  }

  @Test
  void aLineThatWasMovedGoesOnOnPostgresqlWithItsNextPrompt() throws Exception {
    var postgres = TestDatabase.emptyPostgres();
    try (var before = RunningLine.onFile(PostgresMigrationTest.class).start()) {
      var robin = scheduled(before);
      var transcript = before.transcript(robin);
      var newest = before.column("SELECT MAX(seq) FROM message").getFirst();
      assertThat(move(before.home(), postgres)).isEqualTo(1);
      assertThat(said(err))
          .isEqualToIgnoringNewLines(
              "Nothing was moved. The service is running on the file; stop it first.");

      before.stop();
      var file = fingerprint(before.home());
      assertThat(move(before.home(), postgres)).as(said(err)).isZero();
      assertThat(said(out)).contains("participant: 1 rows", "message: ", "Moved ");
      assertThat(fingerprint(before.home())).isEqualTo(file);
      try (var files = Files.list(before.home().resolve("data"))) {
        assertThat(files.filter(Files::isDirectory)).isEmpty();
      }

      try (var after = before.movedTo(postgres).start()) {
        assertThat(after.transcript(robin)).isEqualTo(transcript);
        assertThat(after.bean(Participants.class).find(robin.id())).contains(robin);
        after.fake().otherwise(asked -> Scripted.say("Try one minute of stretching."));
        var turns = after.turns(robin);
        after.study().advance(Duration.ofMinutes(80));
        after.bean(Sweeps.class).sweep();
        after.awaitTurn(robin, turns + 1);
        assertThat(after.phone(robin))
            .anyMatch(text -> text.startsWith("Try one minute of stretching."));
        assertThat(Long.parseLong(after.column("SELECT MAX(seq) FROM message").getFirst()))
            .isGreaterThan(Long.parseLong(newest));
        after.answered(robin, "thanks");
        var sam = after.greeted();
        assertThat(sam.id()).isNotEqualTo(robin.id());
        assertThat(move(before.home(), postgres)).isEqualTo(1);
        assertThat(said(err)).contains("the database is not empty");
      }
    }
  }

  @Test
  void aTryThatWasUndoneCanBeRepeated() throws SQLException {
    var postgres = TestDatabase.emptyPostgres();
    try (var line = RunningLine.onFile(PostgresMigrationTest.class).start()) {
      line.greeted();
      line.stop();
      assertThat(move(line.home(), postgres)).as(said(err)).isZero();
      try (var connection = connection(postgres);
          var statement = connection.createStatement()) {
        var tables = new ArrayList<String>();
        try (var rows =
            statement.executeQuery(
                "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
                    + " AND table_name NOT IN ('flyway_schema_history', 'build')")) {
          while (rows.next()) {
            tables.add(rows.getString(1));
          }
        }
        statement.execute("TRUNCATE " + String.join(", ", tables));
      }
      assertThat(move(line.home(), postgres)).as(said(err)).isZero();
    }
  }

  @Test
  void aFileOfAnotherBuildStaysWhereItIs() throws SQLException {
    var postgres = TestDatabase.emptyPostgres();
    try (var line = RunningLine.onFile(PostgresMigrationTest.class).start()) {
      line.write("UPDATE build SET fingerprint = 'another'");
      line.stop();
      assertThat(move(line.home(), postgres)).isEqualTo(1);
      assertThat(said(err))
          .startsWith("Nothing was moved. HABITLINE_HOME: ")
          .contains("made by another build of Habitline", "or export the data first");
      try (var connection = connection(postgres);
          var tables = connection.getMetaData().getTables(null, "public", "%", null)) {
        assertThat(tables.next()).isFalse();
      }
    }
  }

  @Test
  void aDatabaseThatAnotherBuildPreparedIsNoTarget() throws SQLException {
    var postgres = TestDatabase.postgres();
    try (var line = RunningLine.onFile(PostgresMigrationTest.class).start();
        var connection = connection(postgres);
        var statement = connection.createStatement()) {
      statement.execute("UPDATE build SET fingerprint = 'another'");
      line.stop();
      assertThat(move(line.home(), postgres)).isEqualTo(1);
      assertThat(said(err)).startsWith("Nothing was moved. DATABASE_URL: ");
    }
  }

  private static Connection connection(Map<String, Object> postgres) throws SQLException {
    return DriverManager.getConnection(
        String.valueOf(postgres.get("database.url")),
        String.valueOf(postgres.get("database.user")),
        String.valueOf(postgres.get("database.password")));
  }

  @Test
  void withoutAFileOrATargetASentenceSaysSo() {
    assertThat(move(Doors.freshHome(), TestDatabase.emptyPostgres())).isEqualTo(1);
    assertThat(said(err)).contains("HABITLINE_HOME: there is no database file");
    assertThat(move(Doors.freshHome(), Map.of())).isEqualTo(1);
    assertThat(said(err)).contains("DATABASE_URL: not set");
    assertThat(
            move(Doors.freshHome(), Map.of("database.url", "jdbc:postgresql://127.0.0.1:1/none")))
        .isEqualTo(1);
  }

  @Test
  void itTakesNoArgumentsAndExplainsItself() {
    assertThat(PostgresMigrationCommand.run(List.of("--help"), printing(out), printing(err)))
        .isZero();
    assertThat(said(out)).contains("DATABASE_URL");
    assertThat(PostgresMigrationCommand.run(List.of("now"), printing(out), printing(err)))
        .isEqualTo(2);
    assertThat(said(err)).contains("It takes no arguments");
  }
}
