package org.habitline.staff.safety;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.habitline.RestLine;
import org.habitline.conversation.stored.TranscriptReader;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.IncomingText;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.PhoneNumber;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What people with the role safety do about an incident over HTTP, and what others see of it. */
final class IncidentRestTest {

  private static final String CRISIS = "I want to kill myself tonight";
  private static final String CONCERN = "I feel so hopeless";
  private static final String CONTACT =
      "{\"kind\":\"contact\",\"note\":\"Spoke on the phone. Safe at home.\"}";

  private static RestLine line;
  private static String safety;
  private static String staff;

  @BeforeAll
  static void start() {
    line = RestLine.start(IncidentRestTest.class);
    safety = line.key("Safety Example", "safety");
    staff = line.key("Staff Example", "staff");
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  private static String greeted() {
    var id = line.enrolled().path("id").asText();
    await().until(() -> turns(id) == 1);
    return id;
  }

  private static int turns(String id) {
    return line.rows("SELECT number FROM turn WHERE participant_id = ? AND status <> 'running'", id)
        .size();
  }

  /** Texts as the participant, and waits for the turn. */
  private static void text(String id, String words) {
    var next = turns(id) + 1;
    assertThat(
            line.send("POST", "/simulator/" + id + "/texts", RestLine.write(Map.of("text", words)))
                .status())
        .isLessThan(300);
    await().until(() -> turns(id) == next);
  }

  private static RestLine.Answer get(String path) {
    return line.sendAs(safety, "GET", path, "");
  }

  private static RestLine.Answer post(String path, String body, String... headers) {
    return line.sendAs(safety, "POST", path, body, headers);
  }

  private static JsonNode incidentOf(String id) {
    for (var incident : get("/incidents").result()) {
      if (incident.path("participant_id").asText().equals(id)) {
        return incident;
      }
    }
    throw new AssertionError("No incident of " + id);
  }

  private static String path(String id) {
    return "/incidents/" + incidentOf(id).path("id").asText();
  }

  private static List<String> audited(String id) {
    return line
        .rows("SELECT action FROM audit_event WHERE participant_id = ? ORDER BY seq", id)
        .stream()
        .map(row -> String.valueOf(row.get("action")))
        .toList();
  }

  private static List<String> said(String id) {
    return line
        .rows("SELECT content FROM message WHERE participant_id = ? ORDER BY seq", id)
        .stream()
        .map(row -> String.valueOf(row.get("content")))
        .toList();
  }

  private static String release(String outcome, String message) {
    return RestLine.write(Map.of("outcome", outcome, "message", message));
  }

  @Test
  void aCrisisIsAcknowledgedFollowedUpAndReleasedWithAMessageAfterWhichTheCoachReplies() {
    var robin = greeted();
    text(robin, CRISIS);
    var incident = path(robin);
    var report = get(incident).result();
    assertThat(report.at("/incident/level").asText()).isEqualTo("crisis");
    assertThat(report.at("/incident/kind").asText()).isEqualTo("suicide_or_self_harm");
    assertThat(report.at("/incident/status").asText()).isEqualTo("open");
    assertThat(report.at("/person/id").asText()).isEqualTo(robin);
    assertThat(report.at("/person/phone_number").asText()).startsWith("+1206556");
    assertThat(report.at("/person/local_time").asText()).isNotEmpty();
    assertThat(report.path("message_impossible").isMissingNode()).isTrue();
    assertThat(report.path("messages").findValuesAsText("author"))
        .containsExactly("participant", "bot");
    assertThat(report.at("/messages/0/content").asText()).isEqualTo(CRISIS);
    assertThat(report.path("entries").findValuesAsText("kind")).containsExactly("text", "sent");
    assertThat(report.at("/messages/1/delivery").asText()).isEqualTo("sent");

    var open = said(robin).size();
    text(robin, "hello?");
    assertThat(said(robin)).hasSize(open + 1);

    assertThat(post(incident + "/release", release("referred", "Hello.")).message())
        .isEqualTo("Acknowledge the incident before you release it.");
    assertThat(post(incident + "/acknowledge", "").result().path("acknowledged_by").asText())
        .isEqualTo("Safety Example");
    var again = post(incident + "/acknowledge", "");
    assertThat(again.status()).isEqualTo(409);
    assertThat(again.message()).isEqualTo("Someone has acknowledged this incident already.");

    var attempt = "{\"kind\":\"attempt\",\"note\":\"No answer.\"}";
    assertThat(post(incident + "/entries", attempt, "Idempotency-Key", robin).status())
        .isEqualTo(201);
    assertThat(post(incident + "/entries", attempt, "Idempotency-Key", robin).status())
        .isEqualTo(201);
    var early = post(incident + "/release", release("referred", "Hello."));
    assertThat(early.status()).isEqualTo(409);
    assertThat(early.message()).startsWith("Record a contact with the participant");
    assertThat(post(incident + "/entries", CONTACT).result().path("kind").asText())
        .isEqualTo("contact");

    var silent = post(incident + "/release", "{\"outcome\":\"no_concern_found\"}");
    assertThat(silent.status()).isEqualTo(400);
    assertThat(silent.message()).startsWith("message: missing");
    assertThat(incidentOf(robin).path("status").asText()).isEqualTo("acknowledged");
    var message = "Thank you for talking with me today.";
    var released = post(incident + "/release", release("no_concern_found", message));
    assertThat(released.status()).as(released.message()).isEqualTo(200);
    assertThat(released.result().path("outcome").asText()).isEqualTo("no_concern_found");
    assertThat(post(incident + "/release", release("no_concern_found", message)).status())
        .isEqualTo(409);
    assertThat(said(robin)).last().isEqualTo(message);
    assertThat(
            line.rows(
                "SELECT id FROM message WHERE content = ? AND author_name = 'Safety Example'"
                    + " AND incident_id IS NULL",
                message))
        .hasSize(1);
    assertThat(get(incident).result().path("entries").findValuesAsText("kind"))
        .containsExactly("text", "sent", "acknowledged", "attempt", "contact", "released");
    assertThat(get(incident).result().path("messages").findValuesAsText("content"))
        .last()
        .isEqualTo(message);
    assertThat(get("/incidents?status=released").result().findValuesAsText("id"))
        .contains(incident.substring("/incidents/".length()));
    assertThat(audited(robin))
        .containsSubsequence(
            "incident read",
            "incident acknowledged",
            "incident entry added",
            "incident entry added",
            "incident released",
            "message written")
        .containsOnlyOnce("incident read", "incident released", "message written");
    await()
        .until(() ->
            line.rows(
                        "SELECT id FROM outbox WHERE participant_id = ? AND kind = 'staff' AND open = FALSE",
                        robin)
                    .size()
                == 1);

    var before = said(robin).size();
    text(robin, "I am back, thanks.");
    assertThat(said(robin)).hasSizeGreaterThan(before + 1);
  }

  @Test
  void whoMayNotBeTextedIsReleasedWithoutAMessage() {
    var robin = greeted();
    text(robin, CRISIS);
    text(robin, "STOP");
    var incident = path(robin);
    assertThat(get(incident).result().path("message_impossible").asText()).contains("STOP");
    post(incident + "/acknowledge", "");
    post(
        incident + "/entries",
        "{\"kind\":\"decision\",\"note\":\"The clinician called the family.\"}");
    var refused = post(incident + "/release", release("not_reached", "Hello."));
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.message()).startsWith("message: it cannot be sent.");
    assertThat(post(incident + "/release", "{\"outcome\":\"not_reached\"}").status())
        .isEqualTo(200);
  }

  @Test
  void aConcernLeavesTheCoachOnAndMayBeReleasedWithoutAMessage() {
    var robin = greeted();
    var before = said(robin).size();
    text(robin, CONCERN);
    assertThat(said(robin).size()).isGreaterThan(before + 2);
    var incident = path(robin);
    var report = get(incident).result();
    assertThat(report.at("/incident/level").asText()).isEqualTo("concern");
    assertThat(report.path("messages").findValuesAsText("content")).contains(CONCERN);
    post(incident + "/acknowledge", "");
    var released = post(incident + "/release", "{\"outcome\":\"no_concern_found\"}");
    assertThat(released.status()).as(released.message()).isEqualTo(200);
  }

  @Test
  void onlyTheRoleSafetyOpensIncidentsAndReadsTheirWords() {
    var robin = greeted();
    text(robin, CRISIS);
    text(robin, "are you there?");
    var incident = path(robin);
    var researcher = line.key("Researcher Example", "researcher");
    for (var key : List.of(staff, researcher)) {
      assertThat(line.sendAs(key, "GET", "/incidents", "").status()).isEqualTo(403);
      assertThat(line.sendAs(key, "GET", incident, "").status()).isEqualTo(403);
      assertThat(line.sendAs(key, "POST", incident + "/acknowledge", "").status()).isEqualTo(403);
      for (var words : List.of("/history", "/history?full=true", "/state")) {
        var seen =
            line.sendAs(key, "GET", RestLine.PARTICIPANTS + "/" + robin + words, "")
                .response()
                .body();
        assertThat(seen)
            .contains(TranscriptReader.HIDDEN)
            .doesNotContain(CRISIS, "are you there?", "automated message");
      }
    }
    for (var words : List.of("/history", "/history?full=true", "/state")) {
      assertThat(get(RestLine.PARTICIPANTS + "/" + robin + words).response().body())
          .contains(CRISIS, "are you there?")
          .doesNotContain(TranscriptReader.HIDDEN);
    }
    for (var page : List.of("", "/turns/2", "/simulator")) {
      assertThat(line.sendAs(staff, "GET", "/participants/" + robin + page, "").response().body())
          .doesNotContain(CRISIS, "are you there?");
    }
    assertThat(line.sendAs(staff, "GET", "/participants/" + robin, "").response().body())
        .contains("Coaching is paused for a safety incident", TranscriptReader.HIDDEN)
        .doesNotContain("Open incident");
    assertThat(get("/participants/" + robin).response().body()).contains(CRISIS, "Open incident");
  }

  @Test
  void whatIsNotAcceptedIsSaidBesideItsField() {
    var robin = greeted();
    text(robin, CRISIS);
    var incident = path(robin);
    var wrong =
        Map.of(
            "/entries",
                List.of("{}", "{\"kind\":\"sent\",\"note\":\"x\"}", "{\"kind\":\"contact\"}"),
            "/release",
                List.of(
                    "{}",
                    "{\"outcome\":\"erased\"}",
                    release("referred", "x".repeat(IncidentDesk.LONGEST_MESSAGE + 1))));
    wrong.forEach((where, bodies) ->
        bodies.forEach(body -> {
          var refused = post(incident + where, body);
          assertThat(refused.status()).as(body).isEqualTo(400);
          assertThat(refused.message()).matches("[a-z]+: .*\\.");
        }));
    assertThat(get("/incidents?status=closed").status()).isEqualTo(400);
    assertThat(get("/incidents/inc_none").status()).isEqualTo(404);
    assertThat(post("/incidents/inc_none/acknowledge", "").status()).isEqualTo(404);
  }

  @Test
  void aCrisisOfAnUnknownSenderShowsItsWordsToTheRoleSafetyOnly() {
    line.bean(Inbox.class)
        .accept(
            new IncomingText(
                "SM-unknown", new PhoneNumber("+12065550199"), ChannelKind.SMS, CRISIS));
    assertThat(line.sendAs(staff, "GET", "/unclaimed", "").response().body())
        .contains("+12065550199", TranscriptReader.HIDDEN)
        .doesNotContain(CRISIS, "SM-unknown");
    assertThat(line.sendAs(staff, "GET", "/", "").response().body())
        .contains("+12065550199", TranscriptReader.HIDDEN)
        .doesNotContain(CRISIS);
    assertThat(get("/unclaimed").response().body()).contains(CRISIS);
    var unknown =
        line.rows("SELECT incident_id FROM incident_entry WHERE text_id = 'SM-unknown'")
            .getFirst()
            .get("incident_id");
    var report = get("/incidents/" + unknown).result();
    assertThat(report.at("/person/enrolled").asBoolean(true)).isFalse();
    assertThat(report.path("message_impossible").asText()).contains("no participant");
    assertThat(report.path("messages").findValuesAsText("content")).contains(CRISIS);
  }

  @Test
  void incidentsAndTheirWordsAreInNoExport() {
    var robin = greeted();
    text(robin, CRISIS);
    text(robin, "are you there?");
    var export = get(RestLine.PARTICIPANTS + "/" + robin + "/export").response().body();
    assertThat(export)
        .contains("\"transcript\"")
        .doesNotContain(CRISIS, "are you there?", "automated message");
  }
}
