package org.habitline.staff.safety;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.GreenMailUtil;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.stream.StreamSupport;
import org.habitline.MailServer;
import org.habitline.RestLine;
import org.habitline.Rows;
import org.habitline.messaging.TestChannel;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.IncomingText;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.PhoneNumber;
import org.habitline.safety.alerts.Alerting;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.slf4j.LoggerFactory;

/** What staff see of alerts that do not arrive: on the pages, over REST, in health and the log. */
@ResourceLock(value = Resources.SYSTEM_ERR, mode = ResourceAccessMode.READ)
final class AlertsThatFailTest {

  private static final String CRISIS = "I want to kill myself tonight";
  private static final String BODY = "the body of the answer";
  private static final String TOKEN = "secret-in-the-address";

  private static GreenMail mail;
  private static HttpServer webhook;
  private static final ListAppender<ILoggingEvent> LOGGED = new ListAppender<>();

  /** A line without a sender for SMS and without a public address. */
  private static RestLine mute;

  /** A line that sends SMS, and whose webhook refuses every alert. */
  private static RestLine refused;

  @BeforeAll
  static void start() throws IOException {
    mail = MailServer.start();
    webhook = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    webhook.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    webhook.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          var body = BODY.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(503, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    webhook.start();
    var logger = (Logger) LoggerFactory.getLogger(Alerting.class);
    LOGGED.start();
    logger.addAppender(LOGGED);
    mute =
        RestLine.of(
            AlertsThatFailTest.class,
            """
            safety:
              time_zone: UTC
              email: {host: 127.0.0.1, port: %d, security: none, from: line@example.org}
              rota:
                - study nurse: {email: nurse@example.org}
                - clinician on call: {phone: "+12065550144"}
            """
                .formatted(mail.getSmtp().getPort()),
            Map.of());
    logger.detachAppender(LOGGED);
    refused =
        RestLine.of(
            AlertsThatFailTest.class,
            """
            safety:
              time_zone: UTC
              webhook: http://127.0.0.1:%d/alerts?token=%s
              rota:
                - first on call: {phone: "+12065550155"}
            """
                .formatted(webhook.getAddress().getPort(), TOKEN),
            Map.of(
                "alert.webhook-secret",
                "whsec_QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFB",
                "habitline.public-url",
                "https://line.example.org"),
            new TestChannel(ChannelKind.SMS));
  }

  @AfterAll
  static void stop() {
    mute.close();
    refused.close();
    webhook.stop(0);
    mail.stop();
  }

  private static String page(RestLine of, String address) {
    var answer = of.get(address);
    assertThat(answer.status()).as(address).isEqualTo(200);
    return answer.response().body().replaceAll("\\s+", " ");
  }

  private static List<String> words(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false).map(JsonNode::asText).toList();
  }

  private static String crisis(RestLine of, String number) {
    of.bean(Inbox.class)
        .accept(new IncomingText("SM" + number, new PhoneNumber(number), ChannelKind.SMS, CRISIS));
    return String.valueOf(
        of.rows("SELECT incident_id FROM incident_entry WHERE text_id = ?", "SM" + number)
            .getFirst()
            .get("incident_id"));
  }

  private static JsonNode alert(RestLine of, String incident, String channel) {
    return StreamSupport.stream(
            of.get("/incidents/" + incident).result().path("alerts").spliterator(), false)
        .filter(alert -> alert.path("channel").asText().equals(channel))
        .findFirst()
        .orElse(MissingNode.getInstance());
  }

  private static void becomes(RestLine of, String incident, String channel, String status) {
    await()
        .until(() ->
            !of.rows(
                    "SELECT id FROM alert WHERE incident_id = ? AND channel = ? AND status = ?",
                    incident,
                    channel,
                    status)
                .isEmpty());
  }

  @Test
  void whoCanOnlyBeAlertedBySmsWithoutASenderIsNamedAtOnceEverywhere() {
    var sentence =
        "Alerts by SMS cannot be sent, because no sender for SMS is configured (see"
            + " TWILIO_SMS_FROM). No alert reaches these people, who have no other method:"
            + " clinician on call.";
    assertThat(LOGGED.list).extracting(ILoggingEvent::getFormattedMessage).contains(sentence);
    assertThat(LOGGED.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .contains(Alerting.NO_LINK);
    var health = mute.get("/health/alerting");
    assertThat(health.status()).isEqualTo(503);
    assertThat(health.body().path("status").asText()).isEqualTo("failing");
    assertThat(words(health.body().path("problems")))
        .contains("sms_sender_missing", "public_url_missing");
    assertThat(health.response().body()).doesNotContain("clinician");
    assertThat(mute.get("/health").body().at("/details/safety/details/warnings").toString())
        .contains(sentence, Alerting.NO_LINK);

    var test = mute.send("POST", "/alerting/test", "{}").result();
    var id = test.path("id").asText();
    becomes(mute, id, "sms", "failed");
    becomes(mute, id, "email", "sent");
    assertThat(page(mute, "/safety"))
        .contains(
            "Alert by SMS was not sent: no sender for SMS is configured</strong>, clinician on call",
            "Alert by e-mail sent (1 try)</strong>, study nurse",
            "Still missing: an acknowledgement and a second method by which it is sent.");
    var acknowledged = mute.send("POST", "/alerting/tests/" + id + "/acknowledge", "{}").result();
    assertThat(words(acknowledged.path("missing"))).containsExactly("second_method");
    assertThat(acknowledged.path("alerts").findValuesAsText("fault")).containsExactly("no_sender");
    assertThat(mute.rows("SELECT id FROM outbox WHERE kind = 'alert'")).isEmpty();
    // Without a public address: no path that looks like a link, but where to look.
    var mailed = GreenMailUtil.getWholeMessage(mail.getReceivedMessages()[0]);
    assertThat(mailed).contains("Open Habitline and choose Safety.").doesNotContain("/safety");
  }

  @Test
  void whatKeepsAlertsAwayIsFirstOnToday() {
    var today = page(mute, "/");
    assertThat(today).containsOnlyOnce("Alerts by SMS cannot be sent");
    assertThat(today.indexOf("Alerts by SMS cannot be sent"))
        .isBetween(today.indexOf("<h1>Today</h1>"), today.indexOf("aria-label=\"Health\""));
    assertThat(today.indexOf("HABITLINE_PUBLIC_URL is not set"))
        .isGreaterThan(today.indexOf("aria-label=\"Health\""));
  }

  @Test
  void aWebhookThatFailedSaysAfterHowManyTriesAndWhyWhileItIsTriedAndWhenItIsNot() {
    var incident = crisis(refused, "+12065550166");
    await()
        .until(() -> alert(refused, incident, "webhook").path("fault").asText().equals("refused"));
    assertThat(alert(refused, incident, "webhook").path("http_status").asInt()).isEqualTo(503);
    assertThat(page(refused, "/safety/" + incident))
        .containsPattern(
            "Alert by webhook failed after \\d tr(y|ies), the last at [^<]+: its server answered"
                + " with HTTP status 503. It will be tried again</strong>, first on call")
        .containsPattern("Alert by SMS (is being sent|sent) \\([01] tr(y|ies)\\)");
    var rows = Rows.of(refused);
    rows.write(
        "UPDATE alert SET attempts = 5, planned_at = ? WHERE incident_id = ? AND channel = 'webhook'",
        Instant.now().minus(Duration.ofMinutes(3)),
        incident);
    assertThat(words(refused.get("/health/alerting").body().path("problems")))
        .contains("alert_failing");
    var today = page(refused, "/");
    assertThat(today)
        .containsPattern(
            "An alert of a crisis to first on call by webhook has not arrived after \\d tries: its"
                + " server answered with HTTP status 503. Open the incident now.");
    assertThat(today.indexOf("An alert of a crisis to first on call"))
        .isLessThan(today.indexOf("aria-label=\"Health\""));

    assertThat(refused.send("POST", "/incidents/" + incident + "/acknowledge", "{}").status())
        .isEqualTo(200);
    rows.write(
        "UPDATE alert SET attempts = 5, next_at = ? WHERE incident_id = ? AND channel = 'webhook'",
        Instant.now().minusSeconds(1),
        incident);
    becomes(refused, incident, "webhook", "failed");
    var page = page(refused, "/safety/" + incident);
    assertThat(page)
        .containsPattern(
            "Alert by webhook failed after 5 tries, the last at [^<]+: its server answered with"
                + " HTTP status 503</strong>")
        .doesNotContain("was not needed", TOKEN, BODY);
    assertThat(alert(refused, incident, "webhook").path("tried_at").asText()).isNotEmpty();
    assertThat(refused.get("/incidents/" + incident).response().body()).doesNotContain(TOKEN, BODY);
  }

  @Test
  void anAlertBySmsThatDidNotArriveIsListedByTheNameOnTheRota() {
    var incident = crisis(refused, "+12065550177");
    becomes(refused, incident, "sms", "sent");
    Rows.of(refused)
        .write(
            "UPDATE outbox SET status = 'failed', open = FALSE, error_code = '30005'"
                + " WHERE message_id = (SELECT id FROM alert WHERE incident_id = ? AND channel = 'sms')",
            incident);
    assertThat(page(refused, "/today/undelivered"))
        .contains("<bdi>first on call (on the rota)</bdi>", "Alert to staff by SMS", "error 30005")
        .doesNotContain("not enrolled", "Message by SMS");
    assertThat(refused.send("POST", "/incidents/" + incident + "/acknowledge", "{}").status())
        .isEqualTo(200);
  }
}
