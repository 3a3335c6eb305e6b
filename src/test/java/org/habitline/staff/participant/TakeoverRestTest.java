package org.habitline.staff.participant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Map;
import org.habitline.RestLine;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Stepping into conversations over HTTP: what is refused, what is written down. */
final class TakeoverRestTest {

  private static RestLine line;

  @BeforeAll
  static void start() {
    line = RestLine.start(TakeoverRestTest.class);
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  private static String robin() {
    return RestLine.PARTICIPANTS + "/" + line.enrolled().path("id").asText();
  }

  private static Map<String, Object> audited(String path) {
    return line.rows(
            "SELECT * FROM audit_event WHERE participant_id = ? AND action <> 'conversation read' ORDER BY seq",
            path.substring(path.lastIndexOf('/') + 1))
        .getLast();
  }

  private static RestLine.Answer put(String path, String body) {
    return line.send("PUT", path, body);
  }

  @Test
  void aMessageIsWrittenOnceHoweverOftenItIsSent() {
    var robin = robin();
    var body = "{\"text\":\"This is Sam.\",\"mute_minutes\":30}";
    var first = line.send("POST", robin + "/messages", body, "Idempotency-Key", "one");
    assertThat(first.status()).isEqualTo(201);
    assertThat(first.result().path("muted_by").asText()).isEqualTo("admin");
    var again = line.send("POST", robin + "/messages", body, "Idempotency-Key", "one");
    assertThat(again.status()).isEqualTo(201);
    assertThat(again.result()).isEqualTo(first.result());
    assertThat(again.response().headers().firstValue("Idempotent-Replay")).hasValue("true");
    assertThat(
            line.send(
                    "POST",
                    robin + "/messages",
                    "{\"text\":\"Something else.\"}",
                    "Idempotency-Key",
                    "one")
                .status())
        .isEqualTo(422);
    var kim = robin();
    assertThat(line.send("POST", kim + "/messages", body, "Idempotency-Key", "one").status())
        .as("the same words to somebody else")
        .isEqualTo(422);
    await()
        .until(() ->
            line.get(robin + "/history?full=true").result().findValuesAsText("author_name").stream()
                    .filter("admin"::equals)
                    .count()
                == 1);
    assertThat(line.get(robin + "/mute").result().path("muted").asBoolean()).isTrue();
    assertThat(audited(robin))
        .containsEntry("action", "coach muted")
        .containsEntry("old_value", "automatic replies on");
  }

  @Test
  void whoMayNotBeTextedIsNotWrittenTo() {
    var robin = robin();
    assertThat(put(robin, "{\"status\":\"paused\",\"reason\":\"on holiday\"}").status())
        .isEqualTo(200);
    assertThat(audited(robin)).containsEntry("reason", "on holiday");
    var refused = line.send("POST", robin + "/messages", "{\"text\":\"hello\"}");
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.message()).contains("paused").contains("Make them active");
    assertThat(
            line.rows("SELECT id FROM outbox WHERE kind = 'staff' AND participant_id = ?", robin))
        .isEmpty();
  }

  @Test
  void aForcedSubStateIsWrittenDownWithItsReason() {
    var robin = robin();
    assertThat(put(robin + "/state", "{\"state\":\"FEEDBACK\",\"reason\":\"stuck\"}").status())
        .isEqualTo(200);
    assertThat(audited(robin))
        .containsEntry("action", "sub-state forced")
        .containsEntry("old_value", "INTAKE")
        .containsEntry("new_value", "FEEDBACK")
        .containsEntry("reason", "stuck");
    assertThat(line.get(robin + "/state").result().path("conversationState").asText())
        .isEqualTo("FEEDBACK");
    assertThat(put(robin + "/state", "{\"state\":\"FEEDBACK\",\"reason\":\"stuck\"}").status())
        .isEqualTo(409);
    assertThat(put(robin + "/state", "{\"state\":\"NOWHERE\",\"reason\":\"stuck\"}").message())
        .isEqualTo("state: unknown; the flow has INTAKE, FEEDBACK.");
    assertThat(put(robin + "/state", "{\"state\":\"INTAKE\"}").message()).startsWith("reason: ");
  }

  @Test
  void debugIntervalsAreWrittenDownAndListed() {
    var robin = robin();
    var on = put(robin + "/debug", "{\"enabled\":true,\"minutes\":5,\"reason\":\"so terse\"}");
    assertThat(on.result().path("enabled").asBoolean()).isTrue();
    assertThat(audited(robin))
        .containsEntry("action", "debug switched on")
        .containsEntry("old_value", "off")
        .containsEntry("reason", "so terse");
    assertThat(
            put(robin + "/debug", "{\"enabled\":false}").result().path("enabled").asBoolean(true))
        .isFalse();
    assertThat(audited(robin)).containsEntry("action", "debug switched off");
    assertThat(put(robin + "/debug", "{\"enabled\":false}").status()).isEqualTo(409);
    assertThat(line.get(robin + "/debug").result()).hasSize(1);
    assertThat(put("/debug", "{\"enabled\":true}").status()).isEqualTo(200);
    assertThat(put("/debug", "{\"enabled\":false}").status()).isEqualTo(200);
    assertThat(line.get("/debug?limit=1").result()).hasSize(1);
    assertThat(
            line.rows("SELECT subject FROM audit_event WHERE action = 'debug switched on'").stream()
                .map(row -> String.valueOf(row.get("subject"))))
        .contains("all participants");
  }

  @Test
  void whatIsNotAcceptedIsSaidInASentence() {
    var robin = robin();
    for (var refused :
        List.of(
            line.send("POST", robin + "/messages", "{\"text\":\" \"}"),
            line.send("POST", robin + "/messages", "{\"text\":\"x\",\"mute_minutes\":0}"),
            put(robin + "/mute", "{}"),
            put(robin + "/mute", "{\"minutes\":1441}"),
            put(robin + "/debug", "{\"minutes\":5}"),
            put(robin + "/debug", "{\"enabled\":true,\"minutes\":0}"))) {
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.message()).contains(": ").endsWith(".");
    }
    assertThat(put(robin + "/mute", "{\"minutes\":0}").status()).isEqualTo(409);
    assertThat(put(RestLine.PARTICIPANTS + "/conv_none/mute", "{\"minutes\":5}").status())
        .isEqualTo(404);
  }
}
