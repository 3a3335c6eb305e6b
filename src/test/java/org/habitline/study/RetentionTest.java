package org.habitline.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import org.habitline.RunningLine;
import org.habitline.conversation.stored.StoredRequests;
import org.habitline.conversation.stored.StoredRequests.Match;
import org.habitline.llm.openai.Scripted;
import org.habitline.participants.Participant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a study keeps no longer is removed once a day; what was counted stays. */
@Tag("database")
final class RetentionTest {

  private static final String WORDS = "my sister plays the tuba";

  private static RunningLine line;
  private static Retention retention;

  @BeforeAll
  static void start() {
    line =
        RunningLine.in(RetentionTest.class)
            .study("retention: {transcripts: 30, unclaimed_texts: 10, audit: 20, backups: never}\n")
            .start();
    retention = line.bean(Retention.class);
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  private static void pass(int days) {
    line.study().advance(Duration.ofDays(days));
    line.system().advance(Duration.ofDays(days));
    retention.apply();
  }

  private static long count(String sql, Object... arguments) {
    return Long.parseLong(line.column(sql, arguments).getFirst());
  }

  @Test
  void theWordsOfAConversationGoAndItsRowsStay() {
    var robin = line.greeted();
    line.fake().then(Scripted.say("A tuba, how nice."));
    line.answered(robin, WORDS);
    var turn = line.turns(robin);
    var requests = line.bean(StoredRequests.class);
    assertThat(requests.replay(robin.id(), turn))
        .isNotEmpty()
        .allMatch(call -> call.match() == Match.EQUAL);
    var messages = count("SELECT COUNT(*) FROM message WHERE participant_id = ?", robin.id());
    var tokens =
        count("SELECT SUM(prompt_tokens) FROM iteration WHERE participant_id = ?", robin.id());

    pass(29);
    assertThat(line.transcript(robin)).contains("user: " + WORDS);
    assertThat(retention.runs()).anyMatch(run -> run.kind().word().equals("transcripts"));

    pass(2);
    assertThat(count("SELECT COUNT(*) FROM message WHERE participant_id = ?", robin.id()))
        .isEqualTo(messages);
    assertThat(
            count(
                "SELECT COUNT(*) FROM message WHERE participant_id = ? AND content = '' AND cleared_at IS NOT NULL",
                robin.id()))
        .isEqualTo(messages);
    assertThat(line.column("SELECT body FROM inbox WHERE participant_id = ?", robin.id()))
        .containsOnly("");
    assertThat(line.column("SELECT body FROM outbox WHERE participant_id = ?", robin.id()))
        .containsOnly("");
    assertThat(line.phone(robin)).containsOnly("");
    assertThat(
            count("SELECT SUM(prompt_tokens) FROM iteration WHERE participant_id = ?", robin.id()))
        .isEqualTo(tokens);
    assertThat(requests.replay(robin.id(), turn))
        .isNotEmpty()
        .allMatch(call -> call.match() == Match.GONE);
    assertThat(line.iterations(robin, turn)).isNotNull();
    assertThat(
            line.rows(
                "SELECT * FROM audit_event WHERE action = 'retention applied' AND subject = 'transcripts'"))
        .isNotEmpty();

    line.fake().forget();
    line.fake().then(Scripted.say("Good to hear from you."));
    line.answered(robin, "I am still here");
    assertThat(String.valueOf(line.fake().asked()))
        .contains("I am still here")
        .doesNotContain(WORDS);
    assertThat(requests.replay(robin.id(), line.turns(robin)))
        .isNotEmpty()
        .allMatch(call -> call.match() == Match.EQUAL);
  }

  @Test
  void whichToolsWereCalledAndHowTheyEndedStaysAndDebugMessagesGo() {
    var robin = line.greeted();
    line.fake()
        .then(
            Scripted.call("save_user_profile", "{\"prompt_anchor\":\"" + WORDS + "\"}"),
            Scripted.call("no_such_tool", "{\"about\":\"" + WORDS + "\"}"),
            Scripted.say("Saved."));
    line.answered(robin, WORDS);
    var turn = line.turns(robin);
    await()
        .until(() ->
            line.rows("SELECT 1 FROM outbox WHERE participant_id = ? AND open = TRUE", robin.id())
                .isEmpty());
    // A debug message, and a reply that waits on a channel that this line does not have.
    line.write(
        "INSERT INTO outbox (id, participant_id, turn, kind, channel, body, status, open, attempts, planned_at, said_at, expires_at)"
            + " SELECT 'dlv_debug', participant_id, turn, 'debug', channel, body, status, open, attempts, planned_at, said_at, expires_at"
            + " FROM outbox WHERE participant_id = ? AND turn = ?",
        robin.id(),
        turn);
    line.write(
        "UPDATE outbox SET open = TRUE, status = 'planned', channel = 'whatsapp' WHERE participant_id = ? AND turn = ? AND kind = 'reply'",
        robin.id(),
        turn);

    pass(31);
    assertThat(bodies(robin, turn, "debug")).containsExactly("");
    assertThat(bodies(robin, turn, "reply")).as("still open").containsExactly("Saved.");
    var calls =
        line.column(
            "SELECT tool_calls FROM iteration WHERE participant_id = ? AND turn = ? AND tool_calls <> '[]' ORDER BY number",
            robin.id(),
            turn);
    assertThat(calls).hasSize(2);
    assertThat(calls.getFirst()).contains("save_user_profile", "success").doesNotContain(WORDS);
    assertThat(calls.getLast()).contains("no_such_tool", "error").doesNotContain(WORDS);

    line.write(
        "UPDATE outbox SET open = FALSE, status = 'accepted' WHERE participant_id = ? AND open = TRUE",
        robin.id());
    pass(1);
    assertThat(bodies(robin, turn, "reply")).containsExactly("");
  }

  private static List<String> bodies(Participant of, int turn, String kind) {
    return line.column(
        "SELECT body FROM outbox WHERE participant_id = ? AND turn = ? AND kind = ?",
        of.id(),
        turn,
        kind);
  }

  @Test
  void unmatchedTextsAndTheAuditLogHaveTimesOfTheirOwn() {
    var now = line.system().instant();
    for (var status : new String[] {"dismissed", "waiting"}) {
      line.write(
          "INSERT INTO unclaimed_text (provider_id, channel, sender, body, status, received_at)"
              + " VALUES (?, 'sms', '+12065550100', 'hello', ?, ?)",
          "SM-" + status,
          status,
          now.atOffset(ZoneOffset.UTC));
    }
    line.write(
        "INSERT INTO audit_event (at, study_at, actor, role, action) VALUES (?, ?, 'a key', 'staff', 'looked')",
        now.atOffset(ZoneOffset.UTC),
        now.atOffset(ZoneOffset.UTC));
    pass(11);
    assertThat(line.column("SELECT body FROM unclaimed_text WHERE status = 'dismissed'"))
        .containsExactly("");
    assertThat(line.column("SELECT body FROM unclaimed_text WHERE status = 'waiting'"))
        .containsExactly("hello");
    assertThat(line.rows("SELECT * FROM audit_event WHERE action = 'looked'")).isNotEmpty();
    pass(10);
    assertThat(line.rows("SELECT * FROM audit_event WHERE action = 'looked'")).isEmpty();
  }
}
