package org.habitline.ops.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.habitline.EnumColumns;
import org.habitline.RunningLine;
import org.habitline.conversation.stored.TurnReader;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.OptOutSource;
import org.habitline.participants.Participants;
import org.habitline.participants.PhoneNumber;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A database of the version before V32, in which sentences stood for what words of enums say now:
 * each sentence as that version wrote it, before the migration and, from a node that still runs,
 * after it.
 */
final class OldSentencesTest {

  /** The last migration of the version that wrote the sentences. */
  private static final String BEFORE = "31";

  /** So many rows that the migration leaves them to the back-fills. */
  private static final int LARGE = 10_001;

  private static final String WAITS_FOR_DAY =
      "it could not leave in time and waits for the allowed hours";
  private static final String WINDOW_CLOSED =
      "window closed: the participant has not texted for 24 h, and the flow has no template for this";
  private static final String SERVER = "the model's server answered with HTTP status ";
  private static final String TAKEN_OVER =
      "staff hold the conversation: they took it over while it was answered";
  private static final String MUTED = "staff hold the conversation: muted by Kim";

  private static final String AT = "TIMESTAMP WITH TIME ZONE '2026-11-21 07:00:00+00'";

  private static final String TEXT =
      "INSERT INTO outbox (id, participant_id, kind, channel, body, status, open, attempts, planned_at, said_at,"
          + " provider_id, reason, not_before, bulk, retry_of)"
          + " VALUES (?, ?, 'reply', 'sms', 'words', ?, ?, 1, "
          + AT
          + ", "
          + AT
          + ", ?, ?, TIMESTAMP WITH TIME ZONE '2036-11-21 07:00:00+00', FALSE, ?)";

  private static final String TURN =
      "INSERT INTO turn (participant_id, number, status, kind, attempts, pinned, outcome, reason, started_at,"
          + " completed_at) VALUES (?, 1, ?, 'said', 1,"
          + " '{\"inbox\":[],\"now\":\"2026-11-21T07:00:00Z\",\"module\":\"INTAKE\",\"prompts\":{},\"subState\":null}',"
          + " ?, ?, "
          + AT
          + ", "
          + AT
          + ")";

  private static final String OPT_OUT =
      "INSERT INTO address (phone, opted_out, opted_out_at, opted_out_by) VALUES (?, TRUE, "
          + AT
          + ", ?)";

  private static final String REPORT =
      "INSERT INTO delivery_event (provider_id, status, progress, error_code, fate, joined, received_at)"
          + " VALUES (?, ?, 6, '30005', ?, TRUE, "
          + AT
          + ")";

  private static final Map<String, String> MODEL_FAILURES =
      Map.ofEntries(
          Map.entry(SERVER + "429 (insufficient_quota)", "no_credit"),
          Map.entry("the model's server broke its answer off (insufficient_quota)", "no_credit"),
          Map.entry(SERVER + "404 (model_not_found)", "unknown_model"),
          Map.entry(SERVER + "401", "key_refused"),
          Map.entry(SERVER + "429", "too_much"),
          Map.entry(SERVER + "500", "server_broken"),
          Map.entry(SERVER + "503 (overloaded)", "server_broken"),
          Map.entry("the model's server did not answer in time", "too_late"),
          Map.entry("the connection to the model's server failed", "too_late"),
          Map.entry("the time was over before the model was asked", "too_late"),
          Map.entry(
              "the model was asked for the prompt: it did not answer in time; the flow's own text was sent",
              "too_late"),
          Map.entry(SERVER + "400", "null"),
          Map.entry("the model's server sent something that is no chat completion", "null"));

  private static final Map<String, OptOutSource> OPT_OUTS =
      Map.of(
          "keyword", OptOutSource.KEYWORD,
          "provider", OptOutSource.PROVIDER,
          "free words", OptOutSource.FREE_WORDS,
          "from the provider's list after an erasure", OptOutSource.PROVIDER_LIST,
          "from a number that is not enrolled", OptOutSource.NOT_ENROLLED,
          "before the line knew whose text it was", OptOutSource.UNKNOWN_SENDER);

  private @Nullable RunningLine line;

  @AfterEach
  void stop() {
    if (line != null) {
      line.close();
    }
  }

  private RunningLine line() {
    if (line == null) {
      throw new IllegalStateException("Start it first.");
    }
    return line;
  }

  /** A line of this version, not started, on what the version before wrote. */
  private void migrated(int more) {
    line =
        RunningLine.older(
                OldSentencesTest.class,
                BEFORE,
                connection -> {
                  oldRows(connection);
                  moreRows(connection, more);
                })
            .build();
  }

  private void upgrade() {
    var upgrade = line().bean(Upgrade.class);
    upgrade.goOn();
    assertThat(upgrade.told()).isEmpty();
  }

  // --- what the version before wrote ---

  private static void write(Connection to, String sql, @Nullable Object... values)
      throws SQLException {
    try (var statement = to.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      statement.executeUpdate();
    }
  }

  private static void waits(Connection to, String id, String status, @Nullable String reason)
      throws SQLException {
    write(to, TEXT, id, "conv_" + id, status, true, null, reason, null);
  }

  private static void ended(Connection to, String id, String status, @Nullable String reason)
      throws SQLException {
    write(to, TEXT, id, "conv_" + id, status, false, null, reason, null);
  }

  private static void reported(Connection to, String id, String status, String fate)
      throws SQLException {
    write(to, TEXT, id, "conv_" + id, status, false, "SM" + id, null, null);
    write(to, REPORT, "SM" + id, status, fate);
  }

  private static void turn(Connection to, String id, String outcome, String reason)
      throws SQLException {
    write(to, TURN, id, outcome.equals("model_failed") ? "failed" : "done", outcome, reason);
  }

  private static String phone(int number) {
    return "+1206555" + (1000 + number);
  }

  private static void oldRows(Connection to) throws SQLException {
    waits(to, "stopped", "planned", "configuration: 21606");
    waits(to, "missing", "planned", "the channel whatsapp is not configured");
    waits(to, "night", "planned", WAITS_FOR_DAY);
    waits(to, "again", "planned", "20429");
    waits(to, "looked", "unknown", "no answer from Twilio");
    ended(to, "alone", "refused", "configuration: 21612, though other texts are taken");
    ended(to, "leave", "refused", "opted out at the provider: 21610");
    ended(to, "window", "refused", WINDOW_CLOSED);
    ended(to, "code", "refused", "21211");
    ended(to, "ours", "refused", "opted out");
    reported(to, "number", "failed", "bad_number");
    reported(to, "carrier", "undelivered", "final");
    reported(to, "fine", "delivered", "final");
    var number = 0;
    for (var reason : sentences()) {
      turn(to, "turn_" + number++, "model_failed", reason);
    }
    turn(to, "muted", "not_for_the_coach", MUTED);
    turn(to, "taken", "taken_over", TAKEN_OVER);
    turn(to, "paused", "not_for_the_coach", "the participant is paused");
    number = 0;
    for (var source : optOuts()) {
      write(to, OPT_OUT, phone(number++), source);
    }
  }

  private static List<String> sentences() {
    return MODEL_FAILURES.keySet().stream().sorted().toList();
  }

  private static List<String> optOuts() {
    return OPT_OUTS.keySet().stream().sorted().toList();
  }

  private static void moreRows(Connection to, int more) throws SQLException {
    to.setAutoCommit(false);
    try (var text = to.prepareStatement(TEXT);
        var turn = to.prepareStatement(TURN);
        var address = to.prepareStatement(OPT_OUT)) {
      for (int i = 0; i < more; i++) {
        values(text, "more_" + i, "more_" + i, "delivered", false, "SMmore" + i, null, null);
        values(turn, "more_" + i, "done", "replied", null);
        values(address, "+1207" + (2_000_000 + i), "keyword");
      }
      text.executeBatch();
      turn.executeBatch();
      address.executeBatch();
    }
    to.commit();
    to.setAutoCommit(true);
  }

  private static void values(java.sql.PreparedStatement row, @Nullable Object... values)
      throws SQLException {
    for (int i = 0; i < values.length; i++) {
      row.setObject(i + 1, values[i]);
    }
    row.addBatch();
  }

  // --- what is read today ---

  private String state(String id) {
    var row =
        line().rows("SELECT hold, failure, failure_code FROM outbox WHERE id = ?", id).getFirst();
    return row.get("hold") + " " + row.get("failure") + " " + row.get("failure_code");
  }

  private Outbox.Sent sent(String id) {
    return line().bean(Outbox.class).deliveries("conv_" + id, Long.MAX_VALUE, 1).getFirst();
  }

  private static String word(@Nullable Enum<?> value) {
    return value == null ? "null" : value.name().toLowerCase(Locale.ROOT);
  }

  private String modelFailure(String participantId) {
    return word(line().bean(TurnReader.class).turn(participantId, 1).orElseThrow().failure());
  }

  private List<String> leftToStaff() {
    return line()
        .bean(TurnReader.class)
        .leftToStaff(Instant.parse("2026-11-21T00:00:00Z"), 10)
        .stream()
        .map(TurnReader.Whose::participantId)
        .sorted()
        .toList();
  }

  /** Calls a method of the repository of texts, which is not open to this package. */
  private void outbox(String method, Object argument) {
    try {
      var type = Class.forName("org.habitline.messaging.outbox.JdbcOutbox");
      var found =
          Stream.of(type.getDeclaredMethods())
              .filter(it -> it.getName().equals(method))
              .findFirst()
              .orElseThrow();
      found.setAccessible(true);
      var rows = line().bean(type);
      line()
          .bean(Transactions.class)
          .write(() -> {
            try {
              return found.invoke(rows, argument);
            } catch (ReflectiveOperationException e) {
              throw new IllegalStateException(e);
            }
          });
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  private boolean isPutOff(String id) {
    return !line()
        .rows("SELECT 1 FROM outbox WHERE id = ? AND not_before IS NOT NULL", id)
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, LARGE})
  void everySentenceOfTheVersionBeforeIsUnderstood(int more) {
    migrated(more);
    upgrade();
    assertThat(state("stopped")).isEqualTo("sender_stopped null 21606");
    assertThat(state("missing")).isEqualTo("channel_missing null null");
    assertThat(state("night")).isEqualTo("allowed_hours null null");
    assertThat(state("again")).isEqualTo("null null null");
    assertThat(state("looked")).isEqualTo("null null null");
    assertThat(
            Stream.of("alone", "leave", "window", "code", "ours", "number", "carrier", "fine")
                .map(id -> word(sent(id).failure()) + " " + sent(id).failureCode()))
        .containsExactly(
            "misconfigured 21612",
            "opted_out 21610",
            "window_closed null",
            "null null",
            "null null",
            "bad_number null",
            "final null",
            "null null");
    var number = 0;
    for (var sentence : sentences()) {
      assertThat(modelFailure("turn_" + number++))
          .as(sentence)
          .isEqualTo(MODEL_FAILURES.get(sentence));
    }
    assertThat(leftToStaff()).containsExactly("muted", "taken");
    var participants = line().bean(Participants.class);
    number = 0;
    for (var sentence : optOuts()) {
      assertThat(participants.optOutOf(new PhoneNumber(phone(number++))).orElseThrow().source())
          .as(sentence)
          .isEqualTo(OPT_OUTS.get(sentence));
    }
    assertThat(
            line()
                .rows(
                    "SELECT 1 FROM outbox WHERE participant_id LIKE 'more%' AND failure IS NOT NULL"))
        .isEmpty();
  }

  /** As it was seen on H2: every batch went through all texts that had ended. */
  @Test
  void aBatchGoesByTheNumbersOfTextsAndByTheTimesOfTurns() {
    migrated(LARGE);
    var at = "TIMESTAMP WITH TIME ZONE '2026-11-21 07:0%d:00+00'";
    assertThat(plan(OldTexts.ENDED, "5000", "6000"))
        .doesNotContain("outbox_open", "outbox_by_status", "tableScan", "Seq Scan on outbox");
    assertThat(plan(OldTurns.OLD, "'model_failed'", at.formatted(1), at.formatted(2)))
        .contains("turn_by_outcome", "completed_at >");
  }

  private String plan(String sql, String... values) {
    for (var value : values) {
      sql = sql.replaceFirst("\\?", value);
    }
    return String.join("\n", line().column("EXPLAIN " + sql)).replace("\"", "");
  }

  /** Plans a text as a node of the version before does, which knows no later column. */
  private void oldNodePlans(String id, boolean retry) {
    line().write(TEXT, id, "conv_" + id, "planned", true, null, null, retry ? "dlv_before" : null);
  }

  private void oldNodePutsOff(String id, String reason) {
    line().write("UPDATE outbox SET reason = ? WHERE id = ? AND status = 'planned'", reason, id);
  }

  private void oldNodeTakes(String id) {
    line().write("UPDATE outbox SET status = 'sending', attempts = attempts + 1 WHERE id = ?", id);
  }

  private void oldNodePutsBack(String id, @Nullable String reason) {
    if (reason == null) {
      line().write("UPDATE outbox SET status = 'planned', reason = NULL WHERE id = ?", id);
    } else {
      line().write("UPDATE outbox SET status = 'planned', reason = ? WHERE id = ?", reason, id);
    }
  }

  private void oldNodeEnds(String id, String status, String reason) {
    line()
        .write(
            "UPDATE outbox SET status = ?, open = FALSE, reason = ? WHERE id = ?",
            status,
            reason,
            id);
  }

  private void thisNodeHolds(
      String id, String hold, @Nullable String failure, String reason, String code) {
    oldNodePlans(id, false);
    line().write("UPDATE outbox SET hold = ?, reason = ? WHERE id = ?", hold, reason, id);
    if (failure != null) {
      line()
          .write("UPDATE outbox SET failure = ?, failure_code = ? WHERE id = ?", failure, code, id);
    }
  }

  @Test
  void whatANodeOfTheVersionBeforeHoldsBackIsLetGoByThisOne() {
    migrated(0);
    upgrade();
    oldNodePlans("sender", false);
    oldNodePutsOff("sender", "configuration: 20003");
    oldNodePlans("by_day", false);
    line().write("UPDATE outbox SET bulk = TRUE WHERE id = 'by_day'");
    oldNodePutsOff("by_day", WAITS_FOR_DAY);
    outbox("waitNoLonger", ChannelKind.SMS);
    outbox("hurry", "conv_by_day");
    assertThat(isPutOff("sender")).as("this node does not see it yet").isTrue();
    assertThat(isPutOff("by_day")).isTrue();
    line().write("UPDATE outbox SET bulk = TRUE WHERE id = 'by_day'");
    upgrade();
    assertThat(state("sender")).isEqualTo("sender_stopped null 20003");
    outbox("waitNoLonger", ChannelKind.SMS);
    outbox("hurry", "conv_by_day");
    assertThat(isPutOff("sender")).isFalse();
    assertThat(isPutOff("by_day")).isFalse();
  }

  @Test
  void whatThisNodeSaidGoesWhenANodeOfTheVersionBeforeMetSomethingElse() {
    migrated(0);
    upgrade();
    thisNodeHolds("failed", "sender_stopped", "misconfigured", "configuration: 20003", "20003");
    oldNodeTakes("failed");
    oldNodePutsBack("failed", "20429");
    thisNodeHolds("unreached", "allowed_hours", null, WAITS_FOR_DAY, "");
    oldNodeTakes("unreached");
    oldNodePutsBack("unreached", "Twilio cannot be reached");
    thisNodeHolds("not_sent", "retry", "never_processed", "20429", "20429");
    oldNodeTakes("not_sent");
    oldNodePutsBack("not_sent", null);
    thisNodeHolds("now_night", "retry", "never_processed", "20429", "20429");
    oldNodePutsOff("now_night", WAITS_FOR_DAY);
    thisNodeHolds("other_code", "sender_stopped", "misconfigured", "configuration: 20003", "20003");
    oldNodeTakes("other_code");
    oldNodePutsBack("other_code", "configuration: 21606");
    thisNodeHolds("on_its_way", "channel_missing", null, "the channel sms is not configured", "");
    oldNodeTakes("on_its_way");
    thisNodeHolds("gone", "sender_stopped", "misconfigured", "configuration: 20003", "20003");
    oldNodeTakes("gone");
    line()
        .write(
            "UPDATE outbox SET status = 'accepted', open = FALSE, provider_id = 'SMgone', reason = NULL WHERE id = 'gone'");
    thisNodeHolds("refused", "retry", "never_processed", "20429", "20429");
    oldNodeTakes("refused");
    oldNodeEnds("refused", "refused", "opted out at the provider: 21610");
    thisNodeHolds("stopped_by_us", "retry", "never_processed", "20429", "20429");
    oldNodeEnds("stopped_by_us", "refused", "opted out");
    upgrade();
    assertThat(state("failed")).isEqualTo("null null null");
    assertThat(state("unreached")).isEqualTo("null null null");
    assertThat(state("not_sent")).isEqualTo("null null null");
    assertThat(state("now_night")).isEqualTo("allowed_hours null null");
    assertThat(state("other_code")).isEqualTo("sender_stopped null 21606");
    assertThat(state("on_its_way")).isEqualTo("null null null");
    assertThat(state("gone")).isEqualTo("null null null");
    assertThat(state("refused")).isEqualTo("null opted_out 21610");
    assertThat(state("stopped_by_us")).isEqualTo("null null null");
  }

  /** Also in sentences of a version to come, of which the back-fill knows nothing. */
  @Test
  void whatThisNodeWritesStaysAsItIs() {
    migrated(0);
    upgrade();
    thisNodeHolds("own_stop", "sender_stopped", "next_day", "configuration: 63038", "63038");
    thisNodeHolds(
        "own_stop_later", "sender_stopped", "next_day", "paused by Twilio (63038)", "63038");
    thisNodeHolds("own_retry", "retry", "never_processed", "20429", "20429");
    thisNodeHolds(
        "own_unreached",
        "retry",
        "never_processed",
        "Twilio cannot be reached",
        "Twilio cannot be reached");
    thisNodeHolds("own_quiet", "carrier_hours", "quiet_hours", "30610", "30610");
    thisNodeHolds("own_night", "allowed_hours", null, WAITS_FOR_DAY, "");
    thisNodeHolds("own_night_later", "allowed_hours", null, "it waits until the morning", "");
    thisNodeHolds("own_channel_later", "channel_missing", null, "no sms here", "");
    thisNodeHolds("own_window", "retry", "window_closed", WINDOW_CLOSED, "63016");
    line()
        .write(
            "UPDATE outbox SET status = 'refused', open = FALSE, hold = NULL WHERE id = 'own_window'");
    var before = own();
    upgrade();
    assertThat(own()).hasSize(9).isEqualTo(before);
  }

  private List<Map<String, Object>> own() {
    return line().rows("SELECT * FROM outbox WHERE id LIKE 'own%' ORDER BY id");
  }

  @Test
  void whatANodeOfTheVersionBeforeLeavesToStaffWaitsForThemHere() throws SQLException {
    migrated(0);
    upgrade();
    line().write(TURN, "late_muted", "done", "not_for_the_coach", MUTED);
    line().write(TURN, "late_taken", "done", "taken_over", TAKEN_OVER);
    line().write(TURN, "late_failed", "failed", "model_failed", SERVER + "401");
    assertThat(leftToStaff()).containsExactly("muted", "taken");
    upgrade();
    assertThat(leftToStaff()).containsExactly("late_muted", "late_taken", "muted", "taken");
    assertThat(modelFailure("late_failed")).isEqualTo("key_refused");
  }

  @Test
  void howAnOptOutCameIsUnderstoodWhenANodeOfTheVersionBeforeWritesIt() {
    migrated(0);
    var number = 100;
    for (var sentence : optOuts()) {
      var phone = phone(number++);
      line().write(OPT_OUT, phone, sentence);
      assertThat(
              line()
                  .bean(Participants.class)
                  .optOutOf(new PhoneNumber(phone))
                  .orElseThrow()
                  .source())
          .as(sentence)
          .isEqualTo(OPT_OUTS.get(sentence));
    }
    line().write(OPT_OUT, phone(200), "a way that nobody knows yet");
    assertThat(
            line()
                .bean(Participants.class)
                .optOutOf(new PhoneNumber(phone(200)))
                .orElseThrow()
                .source())
        .isNull();
  }

  // --- the version to come ---

  @Test
  void aWordThatOnlyALaterVersionKnowsIsReadAsNotKnown() {
    migrated(0);
    upgrade();
    EnumColumns.acceptWordsOfALaterVersion(line(), "outbox", "hold");
    EnumColumns.acceptWordsOfALaterVersion(line(), "outbox", "failure");
    EnumColumns.acceptWordsOfALaterVersion(line(), "turn", "model_failure");
    line()
        .write(
            "UPDATE outbox SET hold = 'full_moon', failure = 'comet' WHERE id IN ('stopped', 'alone')");
    line().write("UPDATE turn SET model_failure = 'on_strike' WHERE participant_id = 'turn_0'");
    var outbox = line().bean(Outbox.class);
    assertThat(sent("alone").failure()).isNull();
    assertThat(sent("alone").failureCode()).isEqualTo("21612");
    assertThat(outbox.firstOpen("conv_stopped").orElseThrow().reason())
        .isEqualTo("configuration: 21606");
    assertThat(modelFailure("turn_0")).isEqualTo("null");
  }

  @Test
  void aStatusThatOnlyALaterVersionKnowsIsNotGuessedAt() {
    migrated(0);
    EnumColumns.acceptWordsOfALaterVersion(line(), "outbox", "status");
    line().write("UPDATE outbox SET status = 'dreaming' WHERE id = 'stopped'");
    assertThatThrownBy(() -> sent("stopped"))
        .hasStackTraceContaining("'dreaming' is no DeliveryStatus");
  }
}
