package org.habitline.staff.safety;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.Map;
import org.habitline.RestLine;
import org.habitline.messaging.TestChannel;
import org.habitline.participants.ChannelKind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Test alerts on the pages and over REST, on a line with a real channel. */
final class AlertTestPageTest {

  private static RestLine line;
  private static RestLine without;
  private static String safety;

  @BeforeAll
  static void start() {
    line =
        RestLine.of(
            AlertTestPageTest.class,
            """
            safety:
              time_zone: UTC
              clinician: {name: Dr. Example, contact: extension 7}
              webhook: http://127.0.0.1:9/
              rota:
                - weekdays: {phone: "+12065550188", days: [mon, tue, wed, thu, fri]}
            """,
            Map.of("alert.webhook-secret", "whsec_QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFB"),
            new TestChannel(ChannelKind.SMS));
    without = RestLine.start(AlertTestPageTest.class, Map.of(), new TestChannel(ChannelKind.SMS));
    safety = line.key("Safety Example", "safety");
  }

  @AfterAll
  static void stop() {
    line.close();
    without.close();
  }

  private static String page(RestLine of, String address) {
    var answer = of.get(address);
    assertThat(answer.status()).as(address).isEqualTo(200);
    return answer.response().body().replaceAll("\\s+", " ");
  }

  private static RestLine.Answer post(String address) {
    return line.postAs(safety, address, "application/x-www-form-urlencoded", new byte[0]);
  }

  @Test
  void aTestAlertIsSentAndAcknowledgedOnThePage() {
    assertThat(page(line, "/"))
        .contains("id=\"alerting\"", "Messages by SMS wait until a test alert is acknowledged.");
    assertThat(line.get("/health/alerting").body().path("status").asText()).isEqualTo("untested");
    assertThat(line.get("/health/alerting").status()).isEqualTo(503);
    assertThat(line.get("/health").body().at("/details/safety/details/warnings").toString())
        .contains("No one on the rota", "wait until a test alert is acknowledged");
    assertThat(post("/safety/tests").status()).isEqualTo(303);
    assertThat(page(line, "/safety"))
        .contains(
            "The last test alert was sent by Safety Example",
            "No one has acknowledged it. Still missing: an acknowledgement and ",
            "Acknowledge test alert</button>",
            "by SMS");
    var id = String.valueOf(line.rows("SELECT id FROM alert_test").getFirst().get("id"));
    await()
        .until(() ->
            !line.rows("SELECT id FROM alert WHERE channel = 'sms' AND status = 'sent'").isEmpty());
    assertThat(post("/safety/tests/" + id + "/acknowledge").status()).isEqualTo(303);
    assertThat(page(line, "/safety"))
        .contains(
            "Safety Example acknowledged it at",
            "Still missing: a method other than Twilio (e-mail or webhook) by which it is sent.")
        .doesNotContain("Acknowledge test alert</button>");
    var twice = post("/safety/tests/" + id + "/acknowledge");
    assertThat(twice.status()).isEqualTo(409);
    assertThat(twice.response().body()).contains("Someone has acknowledged this test already.");
    assertThat(line.rows("SELECT action FROM audit_event WHERE subject = ?", id))
        .extracting(row -> row.get("action"))
        .containsExactlyInAnyOrder("test alert sent", "test alert acknowledged");
  }

  @Test
  void aStudyThatAlertsNobodySendsAndIsToldSo() {
    var sentence = "Crisis alerts are not set up: Habitline alerts no one.";
    assertThat(page(without, "/")).contains("id=\"alerting\"", sentence);
    assertThat(page(without, "/safety")).contains(sentence).doesNotContain("send-test");
    assertThat(without.get("/health").body().at("/details/safety/details/notes").toString())
        .contains(sentence);
    assertThat(without.get("/health/alerting").body().path("status").asText())
        .isEqualTo("not_configured");
    assertThat(without.send("POST", "/alerting/test", "{}").status()).isEqualTo(409);
  }
}
