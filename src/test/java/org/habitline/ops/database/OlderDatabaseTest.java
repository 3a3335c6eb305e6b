package org.habitline.ops.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Types;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.flywaydb.core.Flyway;
import org.habitline.Rows;
import org.habitline.RunningLine;
import org.habitline.TestDatabase;
import org.habitline.llm.openai.Scripted;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A database that an earlier version wrote. */
class OlderDatabaseTest {

  /** The last version in which what a model call is charged as stood only inside its answer. */
  private static final String BEFORE_CHARGES = "12";

  /** What a model call had then. */
  private static final List<String> THEN =
      List.of(
          "participant_id",
          "turn",
          "number",
          "child",
          "request_hash",
          "messages",
          "answer",
          "tool_calls",
          "metadata",
          "started_at");

  private static final String CHARGES =
      "SELECT turn, number, child, model, prompt_tokens, completion_tokens FROM iteration"
          + " ORDER BY turn, number, child";

  private record Database(String url, String user, String password) {

    Flyway flyway(String target) {
      return Flyway.configure()
          .dataSource(url, user, password)
          .locations("classpath:db/migration")
          .placeholders(Migrations.placeholders(url.startsWith("jdbc:postgresql:")))
          .target(target)
          .load();
    }

    Connection open() throws SQLException {
      return DriverManager.getConnection(url, user, password);
    }
  }

  private static Database onFile(Path folder) {
    return new Database(
        "jdbc:h2:file:" + folder.resolve("old") + ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE",
        "sa",
        "");
  }

  private static Database onPostgresql() {
    Map<String, Object> settings = TestDatabase.emptyPostgres();
    return new Database(
        String.valueOf(settings.get("database.url")),
        String.valueOf(settings.get("database.user")),
        String.valueOf(settings.get("database.password")));
  }

  /** Some turns, with tool calls and without; one of them asked nobody. */
  private static RunningLine talked() {
    var line = RunningLine.onFile(OlderDatabaseTest.class).start();
    var robin = line.greeted();
    line.fake()
        .then(
            Scripted.call("save_user_profile", "{\"prompt_anchor\":\"\\\"modelReturned\\\"\"}"),
            Scripted.say("Noted: \"modelAsked\":\"nothing\", \"promptTokens\":7."));
    line.answered(robin, "while the coffee brews");
    line.fake().then(Scripted.status(400));
    line.answered(robin, "and now?");
    return line;
  }

  private static List<List<Object>> rows(Connection from, String sql) throws SQLException {
    try (var statement = from.createStatement();
        var found = statement.executeQuery(sql)) {
      var rows = new ArrayList<List<Object>>();
      while (found.next()) {
        var row = new ArrayList<>();
        for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
          row.add(found.getObject(i));
        }
        rows.add(row);
      }
      return rows;
    }
  }

  private static List<String> texts(List<List<Object>> rows) {
    return rows.stream().map(String::valueOf).toList();
  }

  private static void copy(RunningLine line, Database to) throws SQLException {
    var columns = String.join(", ", THEN);
    var marks = String.join(", ", THEN.stream().map(it -> "?").toList());
    try (var connection = to.open();
        var insert =
            connection.prepareStatement(
                "INSERT INTO iteration (" + columns + ") VALUES (" + marks + ")")) {
      for (var row : line.rows("SELECT " + columns + " FROM iteration")) {
        var place = 1;
        for (var column : THEN) {
          var value = row.get(column);
          if (value == null) {
            insert.setNull(place++, Types.VARCHAR);
          } else {
            insert.setObject(place++, value);
          }
        }
        insert.addBatch();
      }
      assertThat(Arrays.stream(insert.executeBatch()).sum()).isGreaterThan(2);
    }
  }

  private static void keepsItsCharges(RunningLine line, Database old) throws SQLException {
    old.flyway(BEFORE_CHARGES).migrate();
    copy(line, old);
    old.flyway("latest").migrate();
    try (var connection = old.open()) {
      assertThat(texts(rows(connection, CHARGES)))
          .isEqualTo(
              line.rows(CHARGES).stream()
                  .map(row -> String.valueOf(new ArrayList<>(row.values())))
                  .toList());
    }
  }

  @Test
  void whatModelCallsWereChargedAsIsFoundInTheirAnswers(@TempDir Path folder) throws SQLException {
    try (var line = talked()) {
      assertThat(line.rows("SELECT 1 FROM iteration WHERE model IS NOT NULL AND prompt_tokens > 0"))
          .hasSizeGreaterThan(1);
      keepsItsCharges(line, onFile(folder));
      keepsItsCharges(line, onPostgresql());
    }
  }

  // --- the local date of enrolment ---

  /** The last version that did not store the local date of enrolment. */
  private static final String BEFORE_STUDY_DAYS = "55.03";

  /** More people than one batch has. */
  private static void enrol(Connection connection) throws SQLException {
    try (var address = connection.prepareStatement("INSERT INTO address (phone) VALUES (?)");
        var participant =
            connection.prepareStatement(
                "INSERT INTO participant (id, address_id, name, timezone, zone_assumed, flow, channel, status,"
                    + " enrolled_at, created_at, updated_at)"
                    + " SELECT ?, id, 'Name', ?, FALSE, 'habit', 'simulator', 'active', ?, ?, ? FROM address"
                    + " WHERE phone = ?")) {
      var at = OffsetDateTime.parse("2026-11-02T05:00:00Z");
      for (int i = 0; i < 1_100; i++) {
        var phone = "+1555" + (1_000_000 + i);
        address.setString(1, phone);
        address.addBatch();
        participant.setString(1, "conv_" + i);
        participant.setString(2, i % 2 == 0 ? "Pacific/Honolulu" : "Europe/Berlin");
        participant.setObject(3, at);
        participant.setObject(4, at);
        participant.setObject(5, at);
        participant.setString(6, phone);
        participant.addBatch();
      }
      address.executeBatch();
      participant.executeBatch();
    }
  }

  private static void fillsInTheDateOfEnrolment(RunningLine line) {
    var rows = Rows.of(line);
    rows.write("UPDATE participant SET enrolled_on = '2026-10-01' WHERE id = 'conv_4'");
    var upgrade = line.bean(Upgrade.class);
    upgrade.goOn();
    assertThat(upgrade.told()).isEmpty();
    assertThat(
            line.rows(
                "SELECT enrolled_on, COUNT(*) AS people FROM participant GROUP BY enrolled_on"))
        .extracting(row -> row.get("enrolled_on"), row -> row.get("people"))
        .containsExactlyInAnyOrder(
            tuple("2026-11-01", 549L), tuple("2026-11-02", 550L), tuple("2026-10-01", 1L));
    // As if a node of the earlier version had enrolled somebody, or the row had been locked.
    rows.write("UPDATE participant SET enrolled_on = NULL WHERE id = 'conv_6'");
    upgrade.goOn();
    assertThat(line.rows("SELECT enrolled_on FROM participant WHERE id = 'conv_6'"))
        .extracting(row -> row.get("enrolled_on"))
        .containsExactly("2026-11-01");
  }

  @Test
  void theLocalDateOfEnrolmentIsFilledIn() throws SQLException {
    try (var line =
        RunningLine.older(OlderDatabaseTest.class, BEFORE_STUDY_DAYS, OlderDatabaseTest::enrol)
            .build()) {
      fillsInTheDateOfEnrolment(line);
    }
    var settings = TestDatabase.emptyPostgres();
    var old =
        new Database(
            String.valueOf(settings.get("database.url")),
            String.valueOf(settings.get("database.user")),
            String.valueOf(settings.get("database.password")));
    old.flyway(BEFORE_STUDY_DAYS).migrate();
    try (var connection = old.open()) {
      enrol(connection);
    }
    try (var line = RunningLine.on(OlderDatabaseTest.class, settings).build()) {
      fillsInTheDateOfEnrolment(line);
    }
  }

  // --- large databases ---

  private static final int MANY = 200_000;

  /** People with so many turns each, of one model call. */
  private static final String SEEDED_CALLS =
      """
      INSERT INTO iteration (participant_id, turn, number, child, request_hash, messages, answer, tool_calls,
                             metadata, started_at)
      SELECT 'conv_' || (i / 1000), i %% 1000, 1, 0, 'hash', '[]',
             '{"modelAsked":"asked","modelReturned":"returned","promptTokens":' || i || ',"completionTokens":7}',
             '[]', '{}', TIMESTAMP WITH TIME ZONE '2026-11-01 00:00:00+00' + i * INTERVAL '1 second'
      FROM generate_series(1, %d) i
      """
          .formatted(MANY);

  private static final String SEEDED_TEXTS =
      """
      INSERT INTO inbox (participant_id, kind, provider_id, channel, body, raw, received_at, stored_at, status, turn)
      SELECT 'conv_' || (i % 100), 'said', 'SM' || i, 'sms', 'words', 'Body=words&n=' || i, s.at, s.at, 'done', 1
      FROM (SELECT i, now() - i * INTERVAL '1 minute' AS at FROM generate_series(1, 12000) i) s
      """;

  private static final String SEEDED_DELIVERIES =
      """
      INSERT INTO outbox (id, participant_id, kind, channel, body, status, open, attempts, planned_at)
      SELECT 'dlv_' || i, 'conv_' || (i % 100), 'reply', 'sms', 'words', 'delivered', FALSE, 1, now()
      FROM generate_series(1, 12000) i
      """;

  private static final String SEEDED_UNCLAIMED =
      """
      INSERT INTO unclaimed_text (provider_id, channel, sender, body, raw, received_at)
      VALUES ('SMstranger', 'sms', '+12065550199', 'words', 'Body=words', now())
      """;

  private static void write(Database database, String sql) throws SQLException {
    try (var connection = database.open();
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static long count(Database database, String sql) throws SQLException {
    try (var connection = database.open()) {
      return ((Number) rows(connection, sql).getFirst().getFirst()).longValue();
    }
  }

  private static List<String> indexes(Database database) throws SQLException {
    try (var connection = database.open()) {
      return rows(
              connection,
              "SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indisvalid")
          .stream()
          .map(row -> String.valueOf(row.getFirst()))
          .toList();
    }
  }

  /** What a node of an earlier version writes, which knows of no later column. */
  private static void anOlderNodeWorks(Database database, String id) throws SQLException {
    write(
        database,
        "INSERT INTO inbox (participant_id, kind, provider_id, channel, body, raw, received_at, stored_at, status)"
            + " VALUES ('conv_1', 'said', '"
            + id
            + "', 'sms', 'words', 'Body=old', now(), now(), 'waiting')");
    write(
        database,
        "INSERT INTO event (at, type, participant_id, payload) VALUES (now(), 'message.created', 'conv_1', '{}')");
    write(
        database,
        "INSERT INTO unclaimed_text (provider_id, channel, sender, body, raw, received_at)"
            + " VALUES ('u"
            + id
            + "', 'sms', '+12065550198', 'words', 'Body=old', now())");
    write(database, "UPDATE inbox SET status = 'done', turn = 2 WHERE provider_id = '" + id + "'");
    write(database, "DELETE FROM iteration WHERE participant_id = 'conv_0' AND turn = 1");
  }

  @Test
  void aLargeDatabaseIsOpenAtOnceAndIsBroughtUpToDateWhileOldAndNewNodesWork() throws SQLException {
    var settings = TestDatabase.emptyPostgres();
    var old =
        new Database(
            String.valueOf(settings.get("database.url")),
            String.valueOf(settings.get("database.user")),
            String.valueOf(settings.get("database.password")));
    old.flyway(BEFORE_CHARGES).migrate();
    write(old, SEEDED_CALLS);
    write(old, SEEDED_TEXTS);
    write(old, SEEDED_DELIVERIES);
    write(old, SEEDED_UNCLAIMED);
    try (var line = RunningLine.on(OlderDatabaseTest.class, settings).build()) {
      assertThat(count(old, "SELECT COUNT(*) FROM iteration WHERE model IS NOT NULL")).isZero();
      assertThat(indexes(old)).doesNotContain("iteration_at").contains("message_at", "raw_post_at");
      assertThat(indexes(old))
          .as("what finds texts that may leave")
          .contains("outbox_queue")
          .doesNotContain("outbox_line");
      anOlderNodeWorks(old, "SMduring");
      var upgrade = line.bean(Upgrade.class);
      upgrade.goOn();
      assertThat(upgrade.told()).isEmpty();
      assertThat(indexes(old))
          .contains("iteration_at", "outbox_line")
          .doesNotContain("outbox_queue");
      assertThat(
              count(
                  old,
                  "SELECT COUNT(*) FROM iteration WHERE model = 'returned' AND completion_tokens = 7"))
          .isEqualTo(MANY - 1);
      assertThat(count(old, "SELECT COUNT(*) FROM inbox WHERE raw IS NOT NULL")).isZero();
      assertThat(count(old, "SELECT COUNT(*) FROM unclaimed_text WHERE raw IS NOT NULL")).isZero();
      assertThat(count(old, "SELECT COUNT(*) FROM raw_post WHERE content = 'Body=words&n=7'"))
          .isEqualTo(1);
      assertThat(count(old, "SELECT seen FROM backfill WHERE name = 'charges'"))
          .isEqualTo(MANY - 1);
      anOlderNodeWorks(old, "SMafter");
      write(
          old,
          "UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = 'iteration_at'::regclass");
      upgrade.goOn();
      assertThat(indexes(old)).contains("iteration_at");
      assertThat(
              count(
                  old,
                  "SELECT COUNT(*) FROM raw_post WHERE provider_id IN ('SMduring', 'SMafter', 'uSMduring', 'uSMafter')"))
          .isEqualTo(4);
    }
  }
}
