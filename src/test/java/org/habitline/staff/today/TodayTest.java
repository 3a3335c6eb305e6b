package org.habitline.staff.today;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.habitline.RestLine;
import org.habitline.Rows;
import org.habitline.conversation.takeover.Takeover;
import org.habitline.participants.Participants;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the first page says needs attention. */
final class TodayTest {

  private static final String HELD = "another node";

  private RestLine line;
  private Rows rows;
  private Instant now;

  @BeforeEach
  void start() {
    line = RestLine.start(TodayTest.class);
    rows = Rows.of(line);
    now = Instant.parse(line.get("/clock").result().path("now").asText());
  }

  @AfterEach
  void stop() {
    line.close();
  }

  private String page(String address) {
    var answer = line.get(address);
    assertThat(answer.status()).as(address).isEqualTo(200);
    return answer.response().body().replaceAll("\\s+", " ");
  }

  /** Somebody who was greeted, and whose greeting has left. */
  private String somebody(String name) {
    var said = RestLine.someone();
    said.put("name", name);
    var id = line.enrol(said).result().path("id").asText();
    await()
        .until(() ->
            !line.rows("SELECT 1 FROM outbox WHERE participant_id = ? AND open = FALSE", id)
                .isEmpty());
    return id;
  }

  private void turn(
      String id,
      String status,
      String outcome,
      String reason,
      @Nullable String failure,
      Duration ago) {
    rows.write(
        """
        INSERT INTO turn (participant_id, number, status, kind, module, attempts, pinned, configuration, outcome,
                          reason, model_failure, started_at, completed_at)
        SELECT participant_id, 50, ?, 'said', module, 1, pinned, configuration, ?, ?, CAST(? AS varchar),
               CAST(? AS timestamp(6) with time zone), CAST(? AS timestamp(6) with time zone)
        FROM turn WHERE participant_id = ? AND number = 1
        """,
        status,
        outcome,
        reason,
        failure,
        now.minus(ago),
        now.minus(ago),
        id);
  }

  private void delivery(
      String id, String status, String kind, boolean open, @Nullable String reason) {
    rows.write(
        """
        INSERT INTO outbox (id, participant_id, kind, channel, body, status, open, attempts, not_before, reason,
                            error_code, planned_at, said_at, expires_at)
        VALUES (?, ?, ?, 'sms', 'words', ?, ?, 1, ?, ?, ?, ?, ?, ?)
        """,
        "dlv_" + id + status,
        id,
        kind,
        status,
        open,
        now.plus(Duration.ofDays(1)),
        reason,
        status.equals("failed") ? "30005" : null,
        now.minus(Duration.ofHours(1)),
        now.minus(Duration.ofHours(1)),
        now.plus(Duration.ofHours(23)));
  }

  private void prompt(
      String id, String status, Duration ahead, @Nullable String reason, boolean answered) {
    var due = now.plus(ahead);
    rows.prompt(
        new Rows.Prompt(
            id,
            LocalDate.ofInstant(due, ZoneOffset.UTC).toString(),
            status,
            due,
            reason,
            status.equals("sent") ? due : null,
            answered ? due.plusSeconds(30) : null,
            false));
  }

  @Test
  void aLineWithNothingToDoSaysSoAndWhatToDo() {
    assertThat(page("/"))
        .contains(
            "No participant needs staff now. Problems appear here and in the log.",
            "Crisis alerts are not set up: Habitline alerts no one.",
            "dot-warn",
            "<strong>0</strong> active",
            "The built-in script writes the replies.",
            "Sending is on.")
        .contains("aria-current=\"page\">Today")
        .doesNotContain("Waiting for a reply", "Unmatched texts", "Next prompts", "count-dot");
    for (var section : TodayPage.Section.values()) {
      assertThat(page("/today/" + section.word())).contains(section.title(), section.empty());
    }
    assertThat(line.get("/today/nothing").status()).isEqualTo(404);
  }

  @Test
  void whoeverIsStuckInTheIntakeIsListedAndNobodyElse() {
    assertThat(page("/")).doesNotContain("id=\"stuck\"");
    var stuck = somebody("Stuck Robin");
    var longer = somebody("Longer Casey");
    var moved = somebody("Moved Alex");
    somebody("Silent Sam");
    for (var id : new String[] {stuck, longer, moved}) {
      rows.write(
          """
          UPDATE participant_state SET nudged_in = ?, nudged_at = CAST(? AS timestamp(6) with time zone),
                 stuck_since = CAST(? AS timestamp(6) with time zone)
          WHERE participant_id = ?
          """,
          id.equals(moved) ? "FEEDBACK" : "INTAKE",
          now.minus(Duration.ofDays(3)),
          now.minus(id.equals(longer) ? Duration.ofDays(2) : Duration.ofDays(1)),
          id);
    }
    assertThat(page("/"))
        .contains("<strong>2</strong> stuck", "href=\"/today/stuck\"")
        .contains("count-dot\">2<")
        .containsSubsequence("id=\"stuck\"", "Longer Casey", "Stuck Robin");
    assertThat(page("/today/stuck"))
        .containsSubsequence(
            "Longer Casey", "Silent in Intake", "They got a nudge at", "Stuck Robin")
        .doesNotContain("Moved Alex", "Silent Sam");
    rows.write("UPDATE participant_state SET nudged_at = NULL WHERE participant_id = ?", longer);
    assertThat(page("/today/stuck")).contains("their nudge could not be sent");
    line.send("PUT", RestLine.PARTICIPANTS + "/" + stuck, "{\"status\":\"paused\"}");
    assertThat(page("/today/stuck")).contains("Longer Casey").doesNotContain("Stuck Robin");
  }

  @Test
  void whoeverDoesNotGetOnIsListedForEachReason() {
    var early = somebody("Ed Early");
    var lately = somebody("Lara Lately");
    var silent = somebody("Sid Silent");
    var unplanned = somebody("Una Unplanned");
    var inCrisis = somebody("Cal Crisis");
    somebody("Nora New");
    rows.write(
        """
        INSERT INTO incident (id, participant_id, level, kind, status, rule, rules_version, opened_at, last_text_at, texts)
        VALUES ('inc_stuck', ?, 'crisis', 'suicide_or_self_harm', 'open', 'en/test', '1', ?, ?, 1)
        """,
        inCrisis,
        now,
        now);
    for (var id : new String[] {early, silent, unplanned, inCrisis}) {
      rows.write(
          "UPDATE participant SET enrolled_at = ? WHERE id = ?", now.minus(Duration.ofDays(9)), id);
      rows.write(
          "DELETE FROM state_data WHERE participant_id = ? AND data_key = 'conversationState'", id);
      rows.write(
          "INSERT INTO state_data (participant_id, data_key, data_value, updated_at) VALUES (?, 'conversationState', ?, ?)",
          id,
          id.equals(early) || id.equals(inCrisis) ? "INTAKE" : "FEEDBACK",
          now.minus(Duration.ofDays(id.equals(silent) ? 0 : 6)));
    }
    for (int day = 1; day <= 4; day++) {
      prompt(silent, "sent", Duration.ofDays(-day), null, false);
      prompt(lately, "sent", Duration.ofDays(-day), null, false);
    }
    rows.write(
        """
        INSERT INTO message (id, participant_id, role, content, channel, turn, author, created_at)
        VALUES ('msg_lately', ?, 'user', 'here I am', 'simulator', 50, 'participant', ?)
        """,
        lately,
        now);
    // Whoever texted since takes no place among those who are listed.
    assertThat(
            line.bean(Transactions.class)
                .read(() ->
                    line.bean(JdbcStuck.class)
                        .silent(
                            LocalDate.ofInstant(now, ZoneOffset.UTC).minusDays(9).toString(),
                            3,
                            1)))
        .extracting(JdbcStuck.Silent::participantId)
        .containsExactly(silent);
    assertThat(page("/"))
        .contains("In Intake for 6 days", "Silent for 4 daily prompts")
        .contains("No daily prompt is scheduled", "/participants/" + unplanned + "/schedules")
        .containsSubsequence("id=\"stuck\"", "Sid Silent")
        // Whom a crisis pauses is in their incident only.
        .contains("<strong>3</strong> stuck")
        .doesNotContain("Nora New", "Lara Lately");
    // The list is kept for a minute, but not who is erased meanwhile.
    assertThat(stuck()).contains(early, silent, unplanned);
    line.send("DELETE", RestLine.PARTICIPANTS + "/" + silent, "");
    assertThat(stuck()).contains(early, unplanned).doesNotContain(silent);
    assertThat(page("/")).contains("<strong>2</strong> stuck");
  }

  private String stuck() {
    return line.get("/worklist?list=stuck").result().toString();
  }

  @Test
  void whoeverWaitsStandsThereLongestFirst() {
    var shorter = somebody("Shorter Wait");
    var longer = somebody("Longer Wait");
    for (var id : new String[] {shorter, longer}) {
      rows.write(
          "UPDATE lease SET owner = ?, held_until = ? WHERE participant_id = ?",
          HELD,
          Instant.parse("2100-01-01T00:00:00Z"),
          id);
      rows.write(
          """
          INSERT INTO inbox (participant_id, kind, provider_id, channel, body, received_at, stored_at, status)
          VALUES (?, 'said', ?, 'simulator', 'hello?', ?, ?, 'waiting')
          """,
          id,
          "waits-" + id,
          now,
          now.minus(Duration.ofMinutes(id.equals(longer) ? 90 : 7)));
    }
    assertThat(page("/"))
        .contains(
            "<strong>2</strong> waiting for a reply",
            "1 text waiting for 90 min",
            "1 text waiting for 7 min",
            ">90 min</time>")
        .containsSubsequence("Longer Wait", "Shorter Wait")
        .contains("Work on the reply has not started.");
    assertThat(page("/today/waiting"))
        .containsSubsequence("Longer Wait", "<q>hello?</q>", "Shorter Wait", "<q>hello?</q>");
    assertThat(
            line.rows(
                "SELECT 1 FROM audit_event WHERE participant_id = ? AND action = 'conversation read'",
                shorter))
        .as("who saw what they wrote")
        .hasSize(1);
    rows.write("UPDATE inbox SET incident_id = 'inc_waits' WHERE participant_id = ?", longer);
    assertThat(page("/today/waiting").split("<q>", -1)).as("words of an incident").hasSize(2);
  }

  @Test
  void anAnswerThatHasNotLeftIsWaitedForToo() {
    var id = somebody("Held Back");
    delivery(id, "planned", "reply", true, "the provider was busy");
    assertThat(page("/"))
        .contains(
            "<strong>1</strong> waiting for a reply",
            "A reply has been waiting to be sent for 60 min")
        .contains("the provider was busy.");
    line.send("PUT", "/sending", "{\"sending\":false,\"reason\":\"a test\"}");
    assertThat(page("/")).contains("All sending is stopped.");
  }

  @Test
  void anAnswerThatIsSentAgainSaysThatItDidNotArriveAndWhenItGoes() {
    var id = somebody("Once More");
    delivery(id, "failed", "reply", false, null);
    delivery(id, "planned", "reply", true, null);
    rows.write(
        "UPDATE outbox SET retry_of = ? WHERE id = ?",
        "dlv_" + id + "failed",
        "dlv_" + id + "planned");
    var why = "could not deliver it: error 30005. It is sent again at ";
    assertThat(page("/"))
        .contains("A reply was sent 60 min ago and has not arrived", why)
        .doesNotContain("A reply has been waiting");
    assertThat(silence(id)).contains("delivery_again", why);
  }

  @Test
  void anAnswerThatMayHaveGoneOutSaysThatItIsLookedUp() {
    var id = somebody("Who Knows");
    delivery(id, "unknown", "reply", true, "not in the list yet");
    delivery(id, "planned", "reply", true, null);
    assertThat(page("/"))
        .contains("did not confirm this message. Habitline asks the provider whether it was sent")
        .doesNotContain("in the list");
    assertThat(silence(id))
        .contains("delivery_unknown", "Habitline asks the provider whether it was sent");
  }

  private String silence(String id) {
    return line.get(RestLine.PARTICIPANTS + "/" + id + "/silence").result().toString();
  }

  @Test
  void whoeverIsBrakedWaitsUntilTheySaySomethingElse() {
    var id = somebody("Same Again");
    turn(id, "done", "braked", "the same text for the fifth time", null, Duration.ofHours(2));
    assertThat(page("/"))
        .contains("Same Again", "They sent the same text for the fifth time, as an automated")
        .contains("/participants/" + id + "/turns/50");
    rows.write(
        """
        INSERT INTO turn (participant_id, number, status, kind, module, attempts, pinned, configuration, outcome,
                          started_at, completed_at)
        SELECT participant_id, 51, 'done', 'said', module, 1, pinned, configuration, 'replied', started_at, completed_at
        FROM turn WHERE participant_id = ? AND number = 1
        """,
        id);
    assertThat(page("/today/waiting")).doesNotContain("Same Again");
  }

  @Test
  void whoeverIsLeftToStaffWaitsForThem() {
    var id = somebody("Left Alone");
    var muted = line.send("PUT", RestLine.PARTICIPANTS + "/" + id + "/mute", "{\"minutes\":60}");
    assertThat(muted.status()).isBetween(200, 299);
    line.send("POST", "/simulator/" + id + "/texts", "{\"text\":\"Is somebody there?\"}");
    await().until(() -> page("/today/waiting").contains("Waiting for staff"));
    assertThat(page("/"))
        .contains("Left Alone", "admin paused automatic replies until")
        .contains("Waiting for staff</span>: <q>Is somebody there?</q>");
    var person = line.bean(Participants.class).find(id).orElseThrow();
    var toMany = line.bean(Takeover.class).writeToOneOfMany(person, "Closed on Friday.", "admin");
    assertThat(toMany).isNotEmpty();
    assertThat(page("/today/waiting"))
        .as("a message to many is no reply")
        .contains("Waiting for staff", "admin paused automatic replies until");
    delivery(id, "planned", "reply", true, "the provider was busy");
    assertThat(page("/today/waiting"))
        .contains("Waiting for staff", "admin paused automatic replies until")
        .contains("A reply has been waiting to be sent for", "the provider was busy.");
  }

  @Test
  void failedTurnsAndTextsStandThereWithTheirReasons() {
    var failed = somebody("Fay Failed");
    turn(
        failed,
        "failed",
        "model_failed",
        "the model's server answered with HTTP status 401 (invalid_api_key)",
        "key_refused",
        Duration.ofHours(3));
    var old = somebody("Old News");
    turn(old, "failed", "refused", "long ago", null, Duration.ofDays(9));
    var undelivered = somebody("Uma Undelivered");
    delivery(undelivered, "failed", "reply", false, null);
    var refused = somebody("Rae Refused");
    delivery(refused, "refused", "prompt", false, "the number is not reachable");
    assertThat(page("/"))
        .contains("<strong>1</strong> failed turns without a reply")
        .contains("Fay Failed", "HTTP status 401 (invalid_api_key): the key is not accepted.")
        .contains("/participants/" + failed + "/turns/50")
        .contains("Uma Undelivered", "could not deliver it: error 30005.")
        .contains("Rae Refused", "will not be sent: the number is not reachable.")
        .doesNotContain("Old News");
  }

  private int form(String key, String path, String body) {
    return line.postAs(
            key, path, "application/x-www-form-urlencoded", body.getBytes(StandardCharsets.UTF_8))
        .status();
  }

  /** Returns where a form leads that was accepted. */
  private String leadsTo(String path, String body) {
    var answer =
        line.postAs(
            RestLine.ADMIN,
            path,
            "application/x-www-form-urlencoded",
            body.getBytes(StandardCharsets.UTF_8));
    assertThat(answer.status()).as(path).isEqualTo(303);
    return answer.response().headers().firstValue("Location").orElseThrow();
  }

  private String rowOf(String list, String id) {
    for (var row : line.get("/worklist?list=" + list).result()) {
      if (row.path("participant_id").asText().equals(id)) {
        return row.path("row").asText();
      }
    }
    throw new AssertionError("no row of " + id);
  }

  @Test
  void aRowSaysWhoIsOnItUntilItIsSettled() {
    var id = somebody("Owen Owned");
    line.send("PUT", RestLine.PARTICIPANTS + "/" + id + "/mute", "{\"minutes\":60}");
    line.send("POST", "/simulator/" + id + "/texts", "{\"text\":\"Is somebody there?\"}");
    await().until(() -> page("/today/waiting").contains("Waiting for staff"));
    var row = rowOf("waiting", id);
    var path = "/today/rows/" + row;
    assertThat(page("/")).contains(path + "/take/form", "I’m on it");

    var mara = line.key("Mara Keller", "staff");
    assertThat(form(mara, path + "/take/form", "from=")).isEqualTo(303);
    assertThat(page("/"))
        .contains("<bdi>Mara Keller</bdi>", ">MK</span>", "Take it")
        .doesNotContain("I’m on it");
    assertThat(line.sendAs(mara, "GET", "/today/waiting", "").response().body())
        .contains(">You</span>", "Give back");
    // A colleague takes it only from whom they see on it.
    assertThat(form(RestLine.ADMIN, path + "/take/form", "from=")).isEqualTo(409);
    assertThat(form(RestLine.ADMIN, path + "/give-back/form", "")).isEqualTo(409);
    assertThat(form(RestLine.ADMIN, path + "/take/form", "from=Mara+Keller")).isEqualTo(303);
    var owned = line.get("/worklist").result().path(0);
    assertThat(owned.path("owner").asText()).isEqualTo("admin");
    assertThat(owned.path("what").asText()).isEqualTo("Waiting for staff");
    var viewer = line.sendAs(line.key("V", "viewer"), "GET", "/", "").response().body();
    assertThat(viewer).contains("<bdi>admin</bdi>").doesNotContain("/take/form");

    // A later text keeps the owner; a reply settles the row, and the next one is nobody's.
    line.send("POST", "/simulator/" + id + "/texts", "{\"text\":\"Hello?\"}");
    await()
        .until(() ->
            line.rows("SELECT 1 FROM turn WHERE participant_id = ? AND number = 3", id).size()
                == 1);
    await().until(() -> page("/today/waiting").contains("Waiting for staff"));
    assertThat(page("/today/waiting")).contains(">You</span>");
    line.send(
        "POST", RestLine.PARTICIPANTS + "/" + id + "/messages", "{\"text\":\"This is Sam.\"}");
    assertThat(page("/today/waiting")).doesNotContain("Waiting for staff");
    assertThat(line.send("DELETE", "/worklist/" + row + "/owner", "").status()).isEqualTo(200);
    assertThat(line.send("PUT", "/worklist/" + row + "/owner", "{}").status()).isEqualTo(404);
    assertThat(
            line.rows(
                "SELECT action, old_value, new_value FROM audit_event WHERE participant_id = ?"
                    + " AND action LIKE 'row %' ORDER BY seq",
                id))
        .extracting(entry -> entry.get("action") + " " + entry.get("new_value"))
        .containsExactly("row taken Mara Keller", "row taken admin", "row given back null");
  }

  @Test
  void aNewWaitIsNobodysAndAnUnmatchedTextCanBeTaken() {
    var id = somebody("Nele Next");
    line.send("PUT", RestLine.PARTICIPANTS + "/" + id + "/mute", "{\"minutes\":60}");
    line.send("POST", "/simulator/" + id + "/texts", "{\"text\":\"One\"}");
    await().until(() -> page("/today/waiting").contains("Waiting for staff"));
    form(RestLine.ADMIN, "/today/rows/" + rowOf("waiting", id) + "/take/form", "from=");
    line.send("POST", RestLine.PARTICIPANTS + "/" + id + "/messages", "{\"text\":\"Hi.\"}");
    line.send("POST", "/simulator/" + id + "/texts", "{\"text\":\"Two\"}");
    await().until(() -> page("/today/waiting").contains("Waiting for staff"));
    assertThat(page("/today/waiting")).contains("I’m on it").doesNotContain(">You</span>");

    rows.write(
        """
        INSERT INTO unclaimed_text (provider_id, channel, sender, body, received_at, status)
        VALUES ('SM2', 'sms', '+12065550178', 'Hello?', ?, 'waiting')
        """,
        now);
    var text = "unclaimed-" + line.get("/unclaimed").result().path(0).path("seq").asLong();
    assertThat(form(RestLine.ADMIN, "/today/rows/" + text + "/take/form", "from=")).isEqualTo(303);
    assertThat(page("/")).contains("/today/rows/" + text + "/give-back/form");
  }

  @Test
  void aFailedTurnIsRetriedOnceAndLeavesTheListWithTheReply() {
    var id = somebody("Rita Retried");
    turn(id, "failed", "model_failed", "no answer", null, Duration.ofMinutes(3));
    rows.write(
        """
        INSERT INTO message (id, participant_id, role, content, channel, turn, author, created_at)
        VALUES ('msg_retried', ?, 'user', 'hello', 'simulator', 50, 'participant', ?)
        """,
        id,
        now);
    rows.write("UPDATE participant_state SET next_turn = 51 WHERE participant_id = ?", id);
    var path = "/participants/" + id + "/turns/50/retry/form";
    assertThat(page("/")).contains(path, "Retry<");
    assertThat(form(RestLine.ADMIN, path, "")).isEqualTo(303);
    await().until(() -> !page("/today/failed").contains("Rita Retried"));
    var again = line.send("POST", RestLine.PARTICIPANTS + "/" + id + "/turns/50/retry", "");
    assertThat(again.status()).isEqualTo(409);
    assertThat(again.message()).contains("a second one is not sent");
    assertThat(
            line.rows(
                "SELECT 1 FROM message WHERE participant_id = ? AND turn > 50 AND author = 'bot'",
                id))
        .hasSize(1);
    assertThat(
            line.rows(
                "SELECT subject FROM audit_event WHERE participant_id = ? AND action = 'reply retried'",
                id))
        .hasSize(1);
    assertThat(form(RestLine.ADMIN, path, "")).isEqualTo(409);
  }

  @Test
  void aMessageThatDidNotArriveIsSentAgainOnceByHoweverMany() throws Exception {
    var id = somebody("Ada Again");
    rows.write(
        """
        INSERT INTO outbox (id, participant_id, kind, channel, body, status, open, attempts, error_code, planned_at, said_at,
                            expires_at)
        VALUES ('dlv_again', ?, 'reply', 'simulator', 'Here I am again.', 'undelivered', FALSE, 1, '30003', ?, ?, ?)
        """,
        id,
        now.minus(Duration.ofHours(30)),
        now.minus(Duration.ofHours(30)),
        now.minus(Duration.ofHours(6)));
    var path = "/participants/" + id + "/deliveries/dlv_again/resend/form";
    rows.write(
        """
        INSERT INTO message (id, participant_id, role, content, channel, turn, author, created_at)
        VALUES ('msg_again', ?, 'assistant', 'Here I am again.', 'simulator', 0, 'bot', ?)
        """,
        id,
        now);
    rows.write("UPDATE outbox SET message_id = 'msg_again' WHERE id = 'dlv_again'");
    assertThat(page("/today/undelivered"))
        .contains("Ada Again", path, "Send again<", "<q>Here I am again.</q>");
    rows.write("UPDATE message SET incident_id = 'inc_again' WHERE id = 'msg_again'");
    assertThat(page("/today/undelivered")).doesNotContain("<q>Here I am again.</q>");
    rows.write("UPDATE message SET incident_id = NULL WHERE id = 'msg_again'");
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var presses =
          Stream.generate(() -> threads.submit(() -> form(RestLine.ADMIN, path, "")))
              .limit(4)
              .toList();
      for (var press : presses) {
        assertThat(press.get()).isEqualTo(303);
      }
    }
    await()
        .until(() ->
            line.rows(
                        "SELECT 1 FROM simulated_phone_text WHERE participant_id = ? AND body = 'Here I am again.'",
                        id)
                    .size()
                == 1);
    assertThat(page("/today/undelivered")).doesNotContain("Ada Again");
    assertThat(leadsTo(path, "")).isEqualTo("/");
    assertThat(leadsTo(path + "?owner=none&list=undelivered", ""))
        .isEqualTo("/today/undelivered?owner=none");
    assertThat(form(RestLine.ADMIN, path + "?list=nothing", "")).isEqualTo(400);
    assertThat(
            line.rows(
                "SELECT body FROM outbox WHERE participant_id = ? AND retry_of = 'dlv_again'", id))
        .hasSize(1);
    assertThat(
            line.rows(
                "SELECT subject FROM audit_event WHERE participant_id = ? AND action = 'message sent again'",
                id))
        .hasSize(1);
    assertThat(audited(id)).isEqualTo("message sent again dlv_again " + again("dlv_again"));
    assertThat(page("/system/audit?participant=" + id))
        .contains("sent a message again<", "<dd><bdi>" + again("dlv_again") + "</bdi></dd>")
        .doesNotContain("→ <bdi>dlv_");
  }

  /** Returns the id of the delivery that repeats this one. */
  private String again(String delivery) {
    return String.valueOf(
        line.rows("SELECT id FROM outbox WHERE retry_of = ?", delivery).getFirst().get("id"));
  }

  /** Returns the newest audit entry about somebody: action, subject and new value. */
  private String audited(String id) {
    var entry =
        line.rows(
                "SELECT action, subject, new_value FROM audit_event WHERE participant_id = ? ORDER BY seq DESC",
                id)
            .getFirst();
    return entry.get("action") + " " + entry.get("subject") + " " + entry.get("new_value");
  }

  @Test
  void aMessageThatMayHaveArrivedIsSentAgainOnlyIfStaffAcceptThat() {
    var id = somebody("Una Unknown");
    delivery(id, "unknown", "staff", false, "timed out");
    assertThat(page("/today/undelivered"))
        .contains(
            "Una Unknown", "did not report whether this message arrived", "even_if_arrived=true");
    var resend = RestLine.PARTICIPANTS + "/" + id + "/deliveries/dlv_" + id + "unknown/resend";
    var asked = line.send("POST", resend, "");
    assertThat(asked.status()).isEqualTo(409);
    assertThat(asked.message()).contains("did not report whether this message arrived");
    assertThat(line.send("POST", resend + "?even_if_arrived=true", "").status()).isEqualTo(200);
    var delivery = "dlv_" + id + "unknown";
    assertThat(audited(id))
        .isEqualTo(
            "message sent again though it may have arrived " + delivery + " " + again(delivery));
    assertThat(page("/today/undelivered")).doesNotContain("Una Unknown");
  }

  @Test
  void aMessageIsNotSentAgainToWhoGetsNone() {
    var id = somebody("Nora Never");
    delivery(id, "failed", "staff", false, null);
    delivery(id, "refused", "crisis", false, "landline");
    var deliveries = RestLine.PARTICIPANTS + "/" + id + "/deliveries/dlv_" + id;
    assertThat(line.send("POST", deliveries + "refused/resend", "").message())
        .contains("Only replies and messages written by staff");
    var failed = deliveries + "failed/resend";
    assertThat(page("/")).contains("<strong>2</strong> not delivered in the last 7 days");
    var sql = "UPDATE outbox SET failure = CAST(? AS varchar), attempts = 1 WHERE id = ?";
    rows.write(sql, "opted_out", "dlv_" + id + "failed");
    line.bean(Participants.class).blockedByProvider(id);
    assertThat(line.send("POST", failed, "").message()).contains("opted out with STOP");
    assertThat(page("/today/undelivered"))
        .as("nothing can be done about the message, but about the crisis")
        .contains("(safety message)")
        .doesNotContain("(written by staff)", "Send again");
    assertThat(page("/")).contains("<strong>1</strong> not delivered in the last 7 days");
    assertThat(silence(id)).contains("opted_out");
    line.send("POST", "/simulator/" + id + "/texts", "{\"text\":\"START\"}");
    await().until(() -> page("/today/undelivered").contains("Send again"));
    assertThat(
            line.send("PUT", RestLine.PARTICIPANTS + "/" + id, "{\"status\":\"paused\"}").status())
        .isEqualTo(200);
    assertThat(page("/today/undelivered"))
        .contains("They are paused, so it cannot be sent.")
        .doesNotContain("Send again");
    var paused = line.send("POST", failed, "");
    assertThat(paused.status()).isEqualTo(409);
    assertThat(paused.message()).contains("status is paused");
    assertThat(
            line.rows("SELECT 1 FROM outbox WHERE participant_id = ? AND retry_of IS NOT NULL", id))
        .isEmpty();

    line.send("PUT", RestLine.PARTICIPANTS + "/" + id, "{\"status\":\"active\"}");
    rows.write("UPDATE outbox SET withheld = 'paused' WHERE id = ?", "dlv_" + id + "failed");
    assertThat(line.send("POST", failed, "").status()).isEqualTo(200);
    var again = again("dlv_" + id + "failed");
    rows.write(
        "UPDATE outbox SET status = 'refused', open = FALSE, attempts = 0, reason = 'paused' WHERE id = ?",
        again);
    assertThat(page("/today/undelivered")).contains(again + "/resend/form");
    var first = line.send("POST", failed, "");
    assertThat(first.result().path("status").asText()).isEqualTo("sent_again_before");
    assertThat(
            line.send(
                    "POST",
                    RestLine.PARTICIPANTS + "/" + id + "/deliveries/" + again + "/resend",
                    "")
                .status())
        .isEqualTo(200);
    assertThat(again(again)).isNotEqualTo(again);
  }

  @Test
  void staffSeeOnlyTheirOwnRowsOrOnlyThoseOfNobody() {
    turn(somebody("Mia Mine"), "failed", "model_failed", "no answer", null, Duration.ofMinutes(3));
    var open = somebody("Olu Open");
    turn(open, "failed", "model_failed", "no answer", null, Duration.ofMinutes(3));
    var row = line.get("/worklist?list=failed&owner=none").result();
    assertThat(row).hasSize(2);
    var mine = row.path(0).path("participant_id").asText().equals(open) ? row.path(1) : row.path(0);
    var take = "/today/rows/" + mine.path("row").asText() + "/take/form";
    assertThat(page("/?owner=none")).contains(take + "?owner=none\"", "/retry/form?owner=none\"");
    assertThat(page("/today/failed?owner=none"))
        .contains(
            take + "?owner=none&amp;list=failed\"", "/retry/form?owner=none&amp;list=failed\"");
    assertThat(leadsTo(take + "?owner=none", "from=")).isEqualTo("/?owner=none");
    assertThat(leadsTo(take + "?owner=me&list=failed", "from="))
        .isEqualTo("/today/failed?owner=me");
    var refused =
        line.postAs(
            RestLine.ADMIN,
            "/participants/" + open + "/turns/1/retry/form?owner=none&list=failed",
            "application/x-www-form-urlencoded",
            new byte[0]);
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.response().body())
        .contains("id=\"complaint\"", "<h1>Failed turns</h1>", "Olu Open")
        .doesNotContain("Mia Mine");
    assertThat(page("/?owner=me")).contains("Mia Mine").doesNotContain("Olu Open");
    assertThat(page("/?owner=none")).contains("Olu Open").doesNotContain("Mia Mine");
    assertThat(page("/")).contains("Olu Open", "Mia Mine");
    assertThat(page("/today/failed?owner=me")).contains("Mia Mine").doesNotContain("Olu Open");
    assertThat(line.get("/worklist?list=failed&owner=me").result()).hasSize(1);
    assertThat(line.get("/worklist?owner=you").status()).isEqualTo(400);
    assertThat(line.get("/?owner=you").status()).isEqualTo(400);
  }

  @Test
  void promptsStandThereInLocalAndStudyTime() {
    var id = somebody("Pia Prompted");
    prompt(id, "planned", Duration.ofHours(20), null, false);
    var missed = somebody("Mio Missed");
    prompt(missed, "missed", Duration.ofHours(-2), "the line was not running", false);
    var sent = somebody("Sam Sent");
    prompt(sent, "sent", Duration.ofHours(-3), null, true);
    assertThat(page("/"))
        .contains("Next prompts", "Pia Prompted")
        .contains("Mio Missed", "It was not sent in time: the line was not running.")
        .contains(
            "<strong>1</strong> daily prompts sent in 24 hours",
            "<strong>1</strong> daily prompts sent in 24 hours and answered");
    assertThat(page("/today/due")).contains("Pia Prompted", "08:15 in Europe/Berlin");
    assertThat(page("/today/sent")).contains("Sam Sent", "They answered.");
    assertThat(page("/today/answered")).contains("Sam Sent");
  }

  @Test
  void moreThanFitLeadToAListOfAll() {
    var id = somebody("Many Texts");
    for (int i = 0; i < 25; i++) {
      var due = now.plus(Duration.ofMinutes(10L * (i + 1)));
      rows.prompt(
          new Rows.Prompt(
              id,
              LocalDate.of(2099, 1, 1).plusDays(i).toString(),
              "planned",
              due,
              null,
              null,
              null,
              false));
    }
    assertThat(page("/")).contains("href=\"/today/due\" id=\"all-due\"");
    assertThat(page("/today/due").split("id=\"due-", -1)).hasSize(26);
  }

  @Test
  void whoTextedWithoutBeingEnrolledIsNamedByTheirWholeNumber() {
    rows.write(
        """
        INSERT INTO unclaimed_text (provider_id, channel, sender, body, received_at, status)
        VALUES ('SM1', 'sms', '+12065550177', 'Hello?', ?, 'waiting')
        """,
        now);
    assertThat(page("/")).contains("+12065550177");
  }

  @Test
  void whoeverLeavesIsListedNoMore() {
    var id = somebody("Lea Leaving");
    turn(id, "failed", "model_failed", "no answer", null, Duration.ofHours(1));
    assertThat(page("/today/failed")).contains("Lea Leaving");
    rows.write("UPDATE participant SET erasing = 'all' WHERE id = ?", id);
    assertThat(page("/today/failed")).doesNotContain("Lea Leaving");
  }

  @Test
  void peopleOfTheStudySeeItAndKeysForMetricsDoNot() {
    var researcher = line.key("Researcher", "researcher");
    var metrics = line.key("Metrics", "metrics");
    for (var address : List.of("/", "/today/failed", "/study")) {
      assertThat(line.sendAs(researcher, "GET", address, "").status()).isEqualTo(200);
      assertThat(line.sendAs(metrics, "GET", address, "").status()).isEqualTo(403);
    }
  }
}
