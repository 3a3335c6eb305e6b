package org.habitline.staff.participant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.habitline.RestLine;
import org.habitline.Rows;
import org.habitline.participants.OptOutSource;
import org.habitline.participants.Participants;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The pages of the simulated phones, as a browser without scripts uses them. */
final class SimulatorPageTest {

  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private static RestLine line;
  private static String key;

  @BeforeAll
  static void start() {
    line = RestLine.start(SimulatorPageTest.class, Map.of("default-schedule", "09:30"));
    key = line.key("staff", "staff");
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  /** Somebody whose greeting has arrived, so that no fault meets it. */
  private static String greeted() {
    var id = line.enrolled().path("id").asText();
    await()
        .until(() ->
            !line.rows("SELECT id FROM outbox WHERE participant_id = ? AND open = FALSE", id)
                .isEmpty());
    return id;
  }

  private static HttpResponse<String> post(String id, String what, String form)
      throws IOException, InterruptedException {
    return CLIENT.send(
        HttpRequest.newBuilder(
                URI.create(line.url() + "/participants/" + id + "/simulator/" + what))
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(form))
            .build(),
        BodyHandlers.ofString());
  }

  private static String page(String path) {
    return line.get(path).response().body();
  }

  private static String phone(String id) {
    return page("/participants/" + id + "/simulator");
  }

  private static int said(String id) {
    return line.rows("SELECT seq FROM inbox WHERE participant_id = ? AND kind = 'said'", id).size();
  }

  @Test
  void aTextIsSentByAPlainForm() throws Exception {
    var id = greeted();
    var sent = post(id, "texts", "text=hello&id=a-1");
    assertThat(sent.statusCode()).isEqualTo(303);
    assertThat(sent.headers().firstValue("Location"))
        .hasValue("/participants/" + id + "/simulator");
    assertThat(said(id)).isEqualTo(1);
    var blank = post(id, "texts", "text=+&id=a-2");
    assertThat(blank.statusCode()).isEqualTo(400);
    assertThat(blank.body()).contains("Text: blank");
  }

  @Test
  void aNameOfAnEarlierVersionTurnsNothingAroundIt() {
    var id = greeted();
    var turned = "Robin \u202Eelpmaxe";
    Rows.of(line).write("UPDATE participant SET name = ? WHERE id = ?", turned, id);
    for (var path :
        List.of(
            "/participants",
            "/participants/" + id,
            "/participants/" + id + "/simulator",
            "/participants/" + id + "/turns/1",
            "/simulator")) {
      assertThat(page(path)).as(path).contains("<bdi>" + turned + "</bdi>");
    }
  }

  @Test
  void aRehearsalKeepsToTheDefaultScheduleOfTheLine() throws Exception {
    var id = greeted();
    post(id, "texts", "text=now&id=a-1");
    await().untilAsserted(() -> assertThat(phone(id)).contains("every day at 09:30"));
  }

  @Test
  void aDuplicateIsSaidToBeOneAndChangesNothing() throws Exception {
    var id = greeted();
    assertThat(post(id, "duplicate", "").statusCode()).isEqualTo(409);
    post(id, "texts", "text=hello&id=a-1");
    var duplicate = post(id, "duplicate", "");
    assertThat(duplicate.statusCode()).isEqualTo(303);
    assertThat(page(duplicate.headers().firstValue("Location").orElseThrow()))
        .contains("recognised the repetition");
    assertThat(said(id)).isEqualTo(1);
  }

  @Test
  void whatShallGoWrongStandsOnThePageUntilItDid() throws Exception {
    var id = greeted();
    assertThat(post(id, "faults", "what=fail").statusCode()).isEqualTo(303);
    assertThat(post(id, "faults", "what=explode").statusCode()).isEqualTo(400);
    assertThat(phone(id))
        .contains("The next message to this phone will be reported as undelivered.");
    post(id, "texts", "text=hello&id=a-1");
    await()
        .untilAsserted(() ->
            assertThat(phone(id))
                .contains("undelivered: unreachable")
                .doesNotContain("The next message to this phone"));
    assertThat(line.rows("SELECT action FROM audit_event WHERE participant_id = ?", id).toString())
        .contains("next text to the simulated phone broken");
  }

  @Test
  void aTextThatDidNotArriveIsToldThoughADebugMessageDidAfterIt() throws Exception {
    var id = greeted();
    line.send("PUT", RestLine.PARTICIPANTS + "/" + id + "/debug", "{\"enabled\":true}");
    post(id, "faults", "what=fail");
    post(id, "texts", "text=hello&id=a-1");
    await().until(() -> phone(id).contains("DEBUG: turn 2"));
    await()
        .untilAsserted(() ->
            assertThat(line.get(RestLine.PARTICIPANTS + "/" + id + "/silence").result().toString())
                .contains("delivery_failed", "unreachable"));
  }

  @Test
  void phonesAreListedNewestFirstAndRealOnesHaveNone() throws Exception {
    var first = greeted();
    var second = greeted();
    assertThat(page("/simulator")).containsSubsequence(second, first);
    line.bean(Participants.class).optOut(second, OptOutSource.KEYWORD);
    assertThat(page("/simulator"))
        .contains("opted out</span>, enrolled", "active</span>, enrolled");
    try (var real =
        RestLine.start(
            SimulatorPageTest.class,
            Map.of(
                "twilio.account-sid", "AC00000000000000000000000000000001",
                "twilio.auth-token", "a-token-for-tests",
                "twilio.sms-from", "+15005550006",
                "twilio.api-base-url", "http://127.0.0.1:9",
                "twilio.sms-rate", "1000",
                "habitline.public-url", "https://line.example"))) {
      assertThat(real.get("/participants").response().body())
          .contains("No participants yet", "The service sends the greeting at once")
          .doesNotContain("simulated phone");
      var said = new LinkedHashMap<>(RestLine.someone());
      said.put("channel", "sms");
      var id = real.enrol(said).result().path("id").asText();
      assertThat(real.get("/participants/" + id + "/simulator").response().body())
          .contains("a real phone")
          .doesNotContain("phone-form");
      assertThat(real.get("/participants/" + id).response().body())
          .doesNotContain("Reply as participant");
      assertThat(real.get("/simulator").response().body()).contains("No simulated phones yet");
      assertThat(real.send("POST", RestLine.PARTICIPANTS + "/" + id + "/tokens", "").status())
          .isEqualTo(409);
    }
  }
}
