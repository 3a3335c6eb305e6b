package org.habitline.staff.safety;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.habitline.RestLine;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the study's file adds to the page of an incident: duty, hours, the clinician and an age. */
final class IncidentProtocolTest {

  private static final String STUDY =
      """
      consent:
        min_age: 18
      safety:
        time_zone: Europe/Berlin
        coverage: {days: [mon, tue, wed, thu, fri], hours: "09:00-17:00"}
        clinician: {name: Dr. Example, contact: "+49 30 5550100, day and night"}
        email: {host: 127.0.0.1, port: 1, security: none, from: line@example.org}
        rota:
          - study nurse: {email: nurse@example.org}
          - clinician on call: {email: on-call@example.org}
      """;

  private static final String DAY = "(Mon|Tue|Wed|Thu|Fri|Sat|Sun)";

  private static RestLine line;
  private static String safety;

  @BeforeAll
  static void start() {
    line = RestLine.of(IncidentProtocolTest.class, STUDY, Map.of());
    safety = line.key("Safety Example", "safety");
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  private static int turns(String id) {
    return line.rows("SELECT number FROM turn WHERE participant_id = ? AND status <> 'running'", id)
        .size();
  }

  /** Somebody in New York who texts this; returns their id. */
  private static String texted(String words) {
    var someone = new HashMap<>(RestLine.someone());
    someone.put("timezone", "America/New_York");
    var id = line.enrol(someone).result().path("id").asText();
    await().until(() -> turns(id) == 1);
    line.send("POST", "/simulator/" + id + "/texts", RestLine.write(Map.of("text", words)));
    await().until(() -> turns(id) == 2);
    return id;
  }

  private static String incident(String participant) {
    return String.valueOf(
        line.rows("SELECT id FROM incident WHERE participant_id = ?", participant)
            .getFirst()
            .get("id"));
  }

  private static String page(String address) {
    var answer = line.sendAs(safety, "GET", address, "");
    assertThat(answer.status()).as(address).isEqualTo(200);
    return answer.response().body().replaceAll("\\s+", " ");
  }

  private static RestLine.Answer post(String address, String form) {
    return line.postAs(
        safety,
        address,
        "application/x-www-form-urlencoded",
        form.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void thePageSaysWhoIsOnDutyWhoIsAlertedNextAndWhatTimeItIsForBoth() {
    var incident = incident(texted("I want to kill myself tonight"));
    await()
        .until(() -> !line.rows("SELECT id FROM alert WHERE incident_id = ?", incident).isEmpty());
    assertThat(page("/safety/" + incident))
        .contains(
            "id=\"on-duty\">study nurse, clinician on call</dd>",
            "A person reads messages Mon to Fri 09:00–17:00 in Europe/Berlin",
            "Dr. Example, <a href=\"tel:+49305550100\">+49 30 5550100, day and night</a>",
            "class=\"alarm\"")
        .containsPattern("id=\"next-alert\">in 1[45] min, " + DAY + " [^<]+, to clinician on call")
        .containsPattern("Acknowledge within 15 min: 1[45] min [^<]*left")
        .containsPattern(
            "<strong>"
                + DAY
                + " \\d{1,2} [A-Z][a-z]{2} \\d{4}, \\d\\d:\\d\\d</strong> in America/New_York <br><span"
                + " class=\"mute\">"
                + DAY
                + " \\d\\d:\\d\\d Berlin for staff")
        .containsPattern(
            "<strong>Alert by e-mail [^<]+</strong>, study nurse <span class=\"mute\">"
                + DAY
                + " \\d{1,2} [A-Z][a-z]{2} \\d{4}, \\d\\d:\\d\\d \\("
                + DAY
                + " \\d\\d:\\d\\d Berlin\\)")
        .containsPattern("id=\"fixed-text\" *>(On its way|Delivered|Read)");
    post("/safety/" + incident + "/acknowledge", "");
    assertThat(page("/safety/" + incident))
        .contains("id=\"on-duty\">study nurse")
        .doesNotContain("id=\"next-alert\"", "id=\"target\"", "class=\"alarm\"");
  }

  @Test
  void anIncidentAboutAnAgeHasItsOwnWordsAndOutcomes() {
    var robin = texted("actually I'm 15");
    var id = incident(robin);
    var incident = "/safety/" + id;
    assertThat(page("/safety")).contains("<strong>Age check</strong>", "younger than the study");
    assertThat(line.sendAs(line.key("Staff Example", "staff"), "GET", "/", "").response().body())
        .contains("1 age check");
    assertThat(page(incident))
        .contains(
            "<strong>Possibly younger than the study allows</strong>",
            "Age confirmed: old enough to take part",
            "Too young: withdrawn from the study",
            "Parent or guardian contacted",
            "The study team decided")
        .doesNotContain("Crisis:", "mergency services", "No concern found", "class=\"alarm\"");
    post(incident + "/acknowledge", "");
    post(
        incident + "/entries",
        "kind=decision&note=" + URLEncoder.encode("15.", StandardCharsets.UTF_8));
    var unfit =
        line.sendAs(
            safety,
            "POST",
            "/incidents/" + id + "/release",
            "{\"outcome\":\"no_concern_found\",\"message\":\"Hello.\"}");
    assertThat(unfit.status()).isEqualTo(400);
    assertThat(unfit.message())
        .isEqualTo(
            "outcome: expected one of age_confirmed, withdrawn_underage, guardian_contacted,"
                + " study_team_contacted, not_reached.");
    var active = post(incident + "/release", "outcome=withdrawn_underage&message=Goodbye.");
    assertThat(active.status()).isEqualTo(409);
    assertThat(active.response().body())
        .contains(
            "href=\"#release-outcome\">The participant is not withdrawn. Withdraw them first");
    assertThat(
            line.send("PUT", RestLine.PARTICIPANTS + "/" + robin, "{\"status\":\"withdrawn\"}")
                .status())
        .isEqualTo(200);
    assertThat(post(incident + "/release", "outcome=withdrawn_underage").status()).isEqualTo(303);
    assertThat(page(incident)).contains("Too young: withdrawn from the study, Safety Example");
    assertThat(line.rows("SELECT outcome FROM incident WHERE id = ?", id).getFirst())
        .containsEntry("outcome", "withdrawn_underage");
  }
}
