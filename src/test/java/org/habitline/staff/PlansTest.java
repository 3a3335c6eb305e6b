package org.habitline.staff;

import static org.assertj.core.api.Assertions.assertThat;

import io.micronaut.data.annotation.Query;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.Patience;
import org.habitline.RestLine;
import org.habitline.Rows;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The statements behind the overviews go by an index, on a line with many people in it: what they
 * cost does not grow with all that ever happened.
 */
@Tag("database")
@Order(1)
final class PlansTest {

  private static final int MANY = 20_000;
  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
  private static final Pattern PARAMETER = Pattern.compile(":([a-zA-Z]+)");

  private static final Pattern SCANNED = Pattern.compile("scanCount: ([0-9]+)");
  private static final Pattern QUERY_IN_IT = Pattern.compile("IN\\s*\\(SELECT");

  private static RestLine line;

  /** A statement: where it stands, and the table that it must not read all of. */
  record Statement(String type, String method, String table) {}

  static Stream<Statement> statements() {
    return Stream.of(
        new Statement("messaging.inbox.JdbcInbox", "unanswered", "inbox"),
        new Statement("messaging.outbox.JdbcOutbox", "unsentAnswers", "outbox"),
        new Statement("messaging.outbox.JdbcOutbox", "undelivered", "outbox"),
        new Statement("messaging.outbox.JdbcOutbox", "toAsk", "outbox"),
        new Statement("conversation.stored.JdbcTurns", "unsettled", "turn"),
        new Statement("conversation.stored.JdbcTurns", "unsettled", "message"),
        new Statement("conversation.stored.JdbcTurns", "unsettled", "inbox"),
        new Statement("conversation.stored.JdbcTurns", "lastEnded", "turn"),
        new Statement("timers.JdbcOccurrences", "due", "occurrence"),
        new Statement("timers.JdbcOccurrences", "lately", "occurrence"),
        new Statement("timers.JdbcOccurrences", "prompted", "occurrence"),
        new Statement("study.JdbcRetention", "closedToClear", "outbox"),
        new Statement("study.coding.JdbcDraws", "undrawn", "occurrence"),
        new Statement("study.coding.JdbcDraws", "first", "occurrence"),
        new Statement("study.coding.JdbcDraws", "find", "occurrence"),
        new Statement("study.coding.JdbcDraws", "left", "occurrence"),
        new Statement("study.coding.JdbcDraws", "next", "occurrence"),
        new Statement("study.figures.JdbcFigures", "prompted", "occurrence"),
        new Statement("study.figures.JdbcFigures", "answers", "occurrence"),
        new Statement("study.figures.JdbcFigures", "received", "message"),
        new Statement("study.figures.JdbcFigures", "deliveries", "outbox"),
        new Statement("study.figures.JdbcFigures", "tookPart", "message"),
        new Statement("study.figures.JdbcFigures", "charges", "charge"),
        new Statement("study.figures.JdbcFigures", "replies", "outbox"),
        new Statement("study.figures.JdbcFigures", "tokens", "iteration"),
        new Statement("study.figures.JdbcFigures", "cached", "iteration"),
        new Statement("study.figures.JdbcFigures", "cached", "charge"),
        new Statement("study.fidelity.JdbcFidelity", "prompts", "occurrence"),
        new Statement("study.fidelity.JdbcFidelity", "turns", "turn"),
        new Statement("study.fidelity.JdbcFidelity", "ended", "turn"),
        new Statement("study.fidelity.JdbcFidelity", "calls", "iteration"),
        new Statement("study.fidelity.JdbcFidelity", "otherNames", "iteration"),
        new Statement("study.fidelity.JdbcFidelity", "texts", "message"),
        new Statement("study.fidelity.JdbcFidelity", "unanswered", "message"),
        new Statement("study.fidelity.JdbcFidelity", "unanswered", "outbox"),
        new Statement("study.fidelity.JdbcFidelity", "waiting", "inbox"),
        new Statement("study.fidelity.JdbcFidelity", "silent", "message"),
        new Statement("audit.JdbcEvents", "from", "event"),
        new Statement("messaging.inbox.JdbcRawPosts", "from", "raw_post"),
        new Statement("messaging.inbox.JdbcRawPosts", "erase", "raw_post"),
        new Statement("messaging.inbox.JdbcRawPosts", "claimed", "unclaimed_text"),
        new Statement("messaging.inbox.JdbcUnclaimed", "erased", "unclaimed_text"),
        new Statement("messaging.outbox.JdbcDeliveryEvents", "strays", "delivery_event"),
        new Statement("messaging.outbox.JdbcDeliveryEvents", "joinable", "delivery_event"));
  }

  private static final Map<String, String> VALUES =
      Map.ofEntries(
          Map.entry("looked", "10000"),
          Map.entry("most", "20"),
          Map.entry("status", "'failed'"),
          Map.entry("reached", "'failed'"),
          Map.entry("outcome", "'model_failed'"),
          Map.entry("since", "TIMESTAMP WITH TIME ZONE '2026-11-21 11:00:00+00'"),
          Map.entry("enrolledBefore", "TIMESTAMP WITH TIME ZONE '2026-11-21 11:00:00+00'"),
          Map.entry("begin", "TIMESTAMP WITH TIME ZONE '2026-11-21 11:00:00+00'"),
          Map.entry("finish", "TIMESTAMP WITH TIME ZONE '2026-11-22 00:00:00+00'"),
          Map.entry("charged", "TIMESTAMP WITH TIME ZONE '2026-11-23 00:00:00+00'"),
          Map.entry("before", "TIMESTAMP WITH TIME ZONE '2026-11-01 00:00:00+00'"),
          Map.entry("now", "TIMESTAMP WITH TIME ZONE '2026-11-21 12:00:00+00'"),
          Map.entry("participantId", "'conv_7'"),
          Map.entry("place", "'2000'"),
          Map.entry("arrived", "7"),
          Map.entry("limit", "'3000'"),
          Map.entry("codingToken", "'2222'"),
          Map.entry("who", "'Ann'"),
          Map.entry("epoch", "TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00'"),
          Map.entry("over", "TIMESTAMP WITH TIME ZONE '2026-11-20 12:00:00+00'"),
          Map.entry("first", "'2026-11-20'"),
          Map.entry("last", "'2026-11-21'"));

  @BeforeAll
  static void fill() {
    line = RestLine.start(PlansTest.class);
    var rows = Rows.of(line);
    rows.writeAll("INSERT INTO address (phone) VALUES (?)", many(i -> row(phone(i))));
    rows.writeAll(
        """
        INSERT INTO participant (id, address_id, name, timezone, zone_assumed, flow, channel, status, enrolled_at,
                                 enrolled_on, created_at, updated_at)
        SELECT ?, id, ?, 'UTC', FALSE, 'habit', 'simulator', 'active', ?, ?, ?, ? FROM address WHERE phone = ?
        """,
        many(i -> row(id(i), "Person " + i, at(i), day(i), at(i), at(i), phone(i))));
    rows.writeAll(
        """
        INSERT INTO inbox (participant_id, kind, provider_id, channel, body, received_at, stored_at, status, turn)
        VALUES (?, 'said', ?, 'simulator', 'words', ?, ?, 'done', 1)
        """,
        many(i -> row(id(i), "provider-" + i, at(i), at(i))));
    rows.writeAll(
        """
        INSERT INTO turn (participant_id, number, status, kind, module, attempts, pinned, configuration, outcome,
                          started_at, completed_at)
        VALUES (?, 1, 'done', 'said', 'INTAKE', 1, '{}', 1, ?, ?, ?)
        """,
        many(i -> row(id(i), i % 100 == 0 ? "model_failed" : "replied", at(i), at(i))));
    rows.writeAll(
        """
        INSERT INTO outbox (id, participant_id, turn, kind, channel, body, status, open, attempts, provider_id,
                            planned_at, said_at, expires_at, ended_at)
        VALUES (?, ?, 1, 'reply', 'simulator', 'words', ?, FALSE, 1, ?, ?, ?, ?, ?)
        """,
        many(i ->
            row(
                "dlv_" + i,
                id(i),
                i % 50 == 0 ? "failed" : "accepted",
                "p-" + i,
                at(i),
                at(i),
                at(i),
                at(i))));
    rows.writeAll(
        """
        INSERT INTO message (id, participant_id, role, content, channel, turn, author, created_at)
        VALUES (?, ?, 'user', 'words', 'simulator', 1, 'participant', ?)
        """,
        many(i -> row("msg_" + i, id(i), at(i))));
    rows.writeAll(
        """
        INSERT INTO iteration (participant_id, turn, number, child, request_hash, request, messages, tool_calls,
                               metadata, model, prompt_tokens, completion_tokens, model_ms, started_at)
        VALUES (?, 1, 1, 0, 'hash', '{}', '[]', '[]', '{}', 'model', 10, 1, 1, ?)
        """,
        many(i -> row(id(i), at(i))));
    rows.writeAll(
        """
        INSERT INTO charge (id, participant_id, turn, kind, item, confidence, at)
        VALUES (?, ?, 1, 'model', 'model', 'unknown', ?)
        """,
        many(i -> row("chg_" + i, id(i), at(i))));
    rows.writeAll(
        """
        INSERT INTO occurrence (participant_id, local_date, slot, schedule_id, wall_time, zone, due_at, status,
                                pending)
        VALUES (?, ?, 1, 'schedule', '2026-11-21T08:15', 'UTC', ?, ?, FALSE)
        """,
        many(i -> row(id(i), day(i), at(i), i % 20 == 0 ? "refused" : "sent")));
    rows.writeAll(
        "INSERT INTO event (at, type, participant_id, payload) VALUES (?, 'message.created', ?, '{}')",
        many(i -> row(at(i), id(i))));
    rows.writeAll(
        "INSERT INTO raw_post (provider_id, participant_id, stored_at, content) VALUES (?, ?, ?, 'Body=words')",
        many(i -> row("provider-" + i, id(i), at(i))));
    rows.writeAll(
        """
        INSERT INTO unclaimed_text (provider_id, channel, sender, body, status, received_at)
        VALUES (?, 'sms', '', '', ?, ?)
        """,
        many(i -> row("unclaimed-" + i, i % 50 == 0 ? "erased" : "dismissed", at(i))));
    rows.writeAll(
        """
        INSERT INTO delivery_event (provider_id, status, progress, joined, received_at)
        VALUES (?, 'sent', 1, ?, ?)
        """,
        many(i -> row("p-" + i, i % 50 != 0, at(i))));
    rows.write("ANALYZE");
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  private static List<Object> row(Object... columns) {
    return List.of(columns);
  }

  private static List<List<Object>> many(IntFunction<List<Object>> row) {
    var rows = new ArrayList<List<Object>>();
    for (int i = 0; i < MANY; i++) {
      rows.add(row.apply(i));
    }
    return rows;
  }

  private static String id(int i) {
    return "conv_" + i;
  }

  private static String phone(int i) {
    return "+1555" + (1_000_000 + i);
  }

  /** A row every half an hour, back from now. */
  private static String day(int i) {
    return at(i).toString().substring(0, 10);
  }

  private static Instant at(int i) {
    return NOW.minus(Duration.ofMinutes(30L * i));
  }

  private static String sql(Statement statement) throws ClassNotFoundException {
    var method =
        Arrays.stream(Class.forName("org.habitline." + statement.type()).getDeclaredMethods())
            .filter(it -> it.getName().equals(statement.method()))
            .findFirst()
            .orElseThrow();
    return PARAMETER
        .matcher(method.getAnnotation(Query.class).value())
        .replaceAll(match -> VALUES.get(match.group(1)));
  }

  @ParameterizedTest
  @MethodSource("statements")
  void noStatementReadsAllOfATable(Statement statement) throws ClassNotFoundException {
    var plan =
        line.rows("EXPLAIN " + sql(statement)).stream()
            .map(row -> String.valueOf(row.values().iterator().next()))
            .collect(Collectors.joining("\n"));
    assertThat(plan)
        .doesNotContainIgnoringCase("Seq Scan on " + statement.table())
        .doesNotContainIgnoringCase("public." + statement.table() + ".tableScan");
  }

  /** H2 counts the rows that a statement looked at; those without a time come first in an index. */
  @Test
  void textsThatNobodyAsksAboutAreNotLookedAt() throws ClassNotFoundException {
    var plan =
        line
            .rows(
                "EXPLAIN ANALYZE "
                    + sql(new Statement("messaging.outbox.JdbcOutbox", "toAsk", "outbox")))
            .stream()
            .map(row -> String.valueOf(row.values().iterator().next()))
            .collect(Collectors.joining("\n"));
    assertThat(SCANNED.matcher(plan).results().map(it -> Integer.valueOf(it.group(1))))
        .allMatch(rows -> rows < 10);
  }

  /** With keys from a query in the same statement H2 asks that query again at every row. */
  @Test
  void whatIsDeletedInBatchesIsNamedByItsKeys() throws ClassNotFoundException {
    for (var type :
        List.of(
            "audit.JdbcEvents",
            "messaging.inbox.JdbcRawPosts",
            "messaging.inbox.JdbcUnclaimed",
            "messaging.outbox.JdbcDeliveryEvents",
            "staff.imports.JdbcImports")) {
      assertThat(
              Arrays.stream(Class.forName("org.habitline." + type).getDeclaredMethods())
                  .map(it -> it.getAnnotation(Query.class))
                  .filter(Objects::nonNull)
                  .map(Query::value)
                  .filter(sql -> sql.startsWith("DELETE")))
          .as(type)
          .noneMatch(sql -> QUERY_IN_IT.matcher(sql).find());
    }
  }

  @Test
  void thePagesAnswerSoonWithManyPeople() {
    for (var address :
        List.of(
            "/",
            "/participants",
            "/participants?q=Person+777",
            "/participants?sub_state=INTAKE&q=0001",
            "/participants?sort=-answer_rate",
            "/participants?sort=last_heard&silent_days=3",
            "/study")) {
      var began = System.nanoTime();
      assertThat(line.get(address).status()).isEqualTo(200);
      assertThat(Duration.ofNanos(System.nanoTime() - began))
          .as("%s, even on a busy machine", address)
          .isLessThan(Patience.LONG);
    }
  }
}
