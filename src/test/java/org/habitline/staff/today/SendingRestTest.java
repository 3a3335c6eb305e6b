package org.habitline.staff.today;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.habitline.RestLine;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The stop of all sending over HTTP and on the pages. */
final class SendingRestTest {

  private static final String STOP = "{\"sending\":false,\"reason\":\"a <bad> prompt\"}";
  private static final String RESUME = "{\"sending\":true}";

  private static final String WHILE_STOPPED =
      "the waiting messages are sent, except messages that have waited for more than 24 hours";

  private static RestLine line;

  @BeforeAll
  static void start() {
    line = RestLine.start(SendingRestTest.class);
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  @AfterEach
  void resume() {
    line.send("PUT", "/sending", RESUME);
  }

  private static String page() {
    return line.get("/participants").response().body().replaceAll("\\s+", " ");
  }

  private static List<String> phone(String id) {
    return line.get("/simulator/" + id + "/texts").result().findValuesAsText("body");
  }

  private static List<Map<String, Object>> audited(String action) {
    return line.rows("SELECT * FROM audit_event WHERE action = ? ORDER BY seq", action);
  }

  @Test
  void aStopHoldsEverythingBackAndAResumeLetsItGo() {
    assertThat(line.get("/sending").result().path("sending").asBoolean()).isTrue();
    assertThat(page())
        .contains(WHILE_STOPPED, "Stop all sending now")
        .doesNotContain("id=\"stopped\"");
    var stopped = line.send("PUT", "/sending", STOP);
    assertThat(stopped.status()).isEqualTo(200);
    assertThat(stopped.result().path("sending").asBoolean(true)).isFalse();
    assertThat(stopped.result().path("stopped_by").asText()).isEqualTo("admin");
    assertThat(stopped.result().path("reason").asText()).isEqualTo("a <bad> prompt");
    assertThat(page()).contains(WHILE_STOPPED, "id=\"stopped\"");

    var robin = line.enrolled().path("id").asText();
    await()
        .until(() -> !line.rows("SELECT id FROM outbox WHERE participant_id = ?", robin).isEmpty());
    assertThat(line.get(RestLine.PARTICIPANTS + "/" + robin + "/silence").result().toString())
        .contains("sending_stopped", "a <bad> prompt");
    assertThat(phone(robin)).isEmpty();
    assertThat(line.send("PUT", "/sending", "{\"sending\":true,\"reason\":\"fixed\"}").status())
        .isEqualTo(200);
    await().until(() -> phone(robin).size() == 1);
    assertThat(audited("sending stopped").getLast())
        .containsEntry("actor", "admin")
        .containsEntry("reason", "a <bad> prompt")
        .containsEntry("new_value", "stopped");
    assertThat(audited("sending resumed").getLast())
        .containsEntry("reason", "fixed")
        .containsEntry("new_value", "sending");
  }

  @Test
  void aStopSurvivesARestart() {
    line.send("PUT", "/sending", STOP);
    line.restart();
    assertThat(line.get("/sending").result().path("reason").asText()).isEqualTo("a <bad> prompt");
  }

  @Test
  void everyPageSaysWhoStoppedAndWhyAndLetsAnAdminResume() {
    var robin = line.enrolled().path("id").asText();
    assertThat(line.get("/system").response().body())
        .contains("Stop all sending")
        .doesNotContain("All sending is stopped");
    line.send("PUT", "/sending", STOP);
    for (var page : List.of("/", "/participants/" + robin, "/access")) {
      assertThat(line.get(page).response().body())
          .as(page)
          .contains("All sending is stopped", "a &lt;bad&gt; prompt.", "Resume sending")
          .doesNotContain("/sending/stop/form");
    }
    assertThat(line.sendAs(line.key("Reader of pages", "staff"), "GET", "/", "").response().body())
        .contains("All sending is stopped")
        .doesNotContain("Resume sending");
  }

  @Test
  void staffStopAllSendingFromEveryPageAndComeBackToIt() {
    var robin = line.enrolled().path("id").asText();
    var staff = line.key("Staff at the button", "staff");
    for (var page :
        List.of(
            "/",
            "/today/waiting",
            "/participants",
            "/participants/import",
            "/participants/" + robin,
            "/participants/" + robin + "/simulator",
            "/simulator",
            "/study",
            "/system",
            "/api-docs")) {
      assertThat(line.sendAs(staff, "GET", page, "").response().body())
          .as(page)
          .containsOnlyOnce("action=\"/sending/stop/form\"");
    }
    assertThat(
            line.sendAs(line.key("Researcher of documents", "researcher"), "GET", "/api-docs", "")
                .response()
                .body())
        .doesNotContain("/sending/stop/form");
    var back = "/participants/" + robin;
    var stopped = pressed(staff, "stop", "reason=a+wrong+prompt&back=" + back);
    assertThat(stopped.status()).isEqualTo(303);
    assertThat(stopped.response().headers().firstValue("Location")).contains(back);
    assertThat(line.get("/sending").result().path("stopped_by").asText())
        .isEqualTo("Staff at the button");
    assertThat(audited("sending stopped").getLast())
        .containsEntry("actor", "Staff at the button")
        .containsEntry("role", "staff")
        .containsEntry("reason", "a wrong prompt");
    assertThat(pressed(staff, "resume", "back=/").status()).isEqualTo(403);
    assertThat(line.get("/sending").result().path("sending").asBoolean(true)).isFalse();
  }

  private static RestLine.Answer pressed(String key, String button, String form) {
    return line.postAs(
        key,
        "/sending/" + button + "/form",
        "application/x-www-form-urlencoded",
        form.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void healthTellsStaffOfAStopAndStaysReady() {
    line.send("PUT", "/sending", STOP);
    var ready = line.get("/health/readiness");
    assertThat(ready.status()).isEqualTo(200);
    assertThat(line.get("/health").body().toString()).contains("\"stopped\":true");
    assertThat(line.sendAs("", "GET", "/health", "").response().body())
        .doesNotContain("stopped", "prompt");
  }

  @Test
  void staffStopAndOnlyAnAdminResumes() {
    var staff = line.key("Staff of the line", "staff");
    var researcher = line.key("Researcher of the line", "researcher");
    assertThat(line.sendAs(researcher, "PUT", "/sending", STOP).status()).isEqualTo(403);
    assertThat(line.sendAs(staff, "PUT", "/sending", STOP).status()).isEqualTo(200);
    var refused = line.sendAs(staff, "PUT", "/sending", RESUME);
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.message()).contains("admin");
    assertThat(line.get("/sending").result().path("sending").asBoolean(true)).isFalse();
    assertThat(line.sendAs(staff, "GET", "/sending", "").status()).isEqualTo(200);
    assertThat(line.sendAs(researcher, "GET", "/sending", "").status()).isEqualTo(403);
    assertThat(line.sendAs("", "PUT", "/sending", STOP).status()).isEqualTo(401);
  }

  @Test
  void whatIsSoAlreadyIsRefusedWithASentence() {
    assertThat(line.send("PUT", "/sending", "{\"sending\":false}").message())
        .startsWith("reason: missing");
    assertThat(line.send("PUT", "/sending", RESUME).status()).isEqualTo(409);
    line.send("PUT", "/sending", STOP);
    var again = line.send("PUT", "/sending", "{\"sending\":false,\"reason\":\"again\"}");
    assertThat(again.status()).isEqualTo(409);
    assertThat(again.message()).contains("already stopped");
  }
}
