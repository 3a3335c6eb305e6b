package org.habitline.safety.alerts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.icegreen.greenmail.store.FolderException;
import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.GreenMailUtil;
import com.sun.net.httpserver.HttpServer;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.habitline.MailServer;
import org.habitline.conversation.wakeups.PromptDay;
import org.habitline.llm.openai.Scripted;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.safety.incidents.EntryKind;
import org.habitline.safety.incidents.Incident;
import org.habitline.safety.incidents.IncidentOutcome;
import org.habitline.safety.incidents.IncidentStatus;
import org.habitline.safety.incidents.Incidents;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A crisis reaches somebody outside the pages: by a mail server and a webhook that are there, away,
 * or fail.
 */
final class AlertingTest {

  private static final String DANGER = "I want to kill myself tonight";
  private static final byte[] KEY = "twenty-four random bytes".getBytes(StandardCharsets.UTF_8);
  private static final String SECRET = "whsec_" + Base64.getEncoder().encodeToString(KEY);
  private static final Duration ESCALATED = Duration.ofMinutes(11);

  private static final List<Call> CALLS = new CopyOnWriteArrayList<>();
  private static volatile int answer = 200;

  private static GreenMail mail;
  private static HttpServer webhook;
  private static PromptDay day;

  private record Call(Map<String, String> headers, String body) {
    private JsonNode json() {
      try {
        return new JsonMapper().readTree(body);
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @BeforeAll
  static void start() throws IOException {
    mail = MailServer.start();
    webhook = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    webhook.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    webhook.createContext(
        "/",
        exchange -> {
          var headers =
              Map.of(
                  "id", exchange.getRequestHeaders().getFirst("webhook-id"),
                  "timestamp", exchange.getRequestHeaders().getFirst("webhook-timestamp"),
                  "signature", exchange.getRequestHeaders().getFirst("webhook-signature"));
          var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          CALLS.add(new Call(headers, body));
          exchange.sendResponseHeaders(answer, -1);
          exchange.close();
        });
    webhook.start();
    day =
        PromptDay.of(
            AlertingTest.class,
            setup ->
                setup
                    .study(
                        """
                        safety:
                          time_zone: Europe/Berlin
                          escalate_after: 10
                          webhook: http://127.0.0.1:%d/alerts
                          email: {host: 127.0.0.1, port: %d, security: none, from: line@example.org}
                          rota:
                            - first on call: {email: first@example.org}
                            - second on call: {email: second@example.org}
                        """
                            .formatted(webhook.getAddress().getPort(), mail.getSmtp().getPort()))
                    .with("alert.webhook-secret", SECRET)
                    .with("habitline.public-url", "https://line.example.org/"));
    day.line().bean(Alerting.class).start();
  }

  @AfterAll
  static void stop() {
    day.line().bean(Alerting.class).stop(Duration.ofSeconds(5));
    day.close();
    webhook.stop(0);
    mail.stop();
  }

  /** Every test begins with no incident that anybody must be alerted of. */
  @BeforeEach
  void begin() throws FolderException {
    answer = 200;
    for (var incident : incidents().unreleased(100)) {
      if (incident.status() == IncidentStatus.OPEN) {
        incidents().acknowledge(incident, "Sam");
      }
      incidents().record(incident, EntryKind.CONTACT, "ok", "Sam");
      incidents().release(incident, IncidentOutcome.REFERRED, null, "Sam");
    }
    day.line().system().advance(Duration.ofMinutes(3));
    await().until(() -> day.line().rows("SELECT id FROM alert WHERE status = 'planned'").isEmpty());
    CALLS.clear();
    mail.purgeEmailFromAllMailboxes();
    day.begin();
    day.at("10:00");
  }

  private static Incidents incidents() {
    return day.line().bean(Incidents.class);
  }

  private static Alerting alerting() {
    return day.line().bean(Alerting.class);
  }

  private static Participant robin() {
    return day.greeted(ChannelKind.SIMULATOR);
  }

  private static Incident crisis(Participant robin) {
    day.line().answered(robin, DANGER);
    return incidents().crisis(robin.id()).orElseThrow();
  }

  /** The server keeps messages by recipient, not by time. */
  private static List<String> mailedTo() {
    return Stream.of(mail.getReceivedMessages())
        .map(message -> {
          try {
            return message.getRecipients(Message.RecipientType.TO)[0].toString();
          } catch (MessagingException e) {
            throw new IllegalStateException(e);
          }
        })
        .sorted()
        .toList();
  }

  private static String mailed(int number) {
    return mail.getReceivedMessages().length <= number
        ? ""
        : GreenMailUtil.getWholeMessage(mail.getReceivedMessages()[number]);
  }

  private static List<String> statuses(Incident incident) {
    return alerting().of(incident.id()).stream()
        .map(it ->
            it.round()
                + " "
                + it.channel().word()
                + " "
                + it.recipient()
                + " "
                + it.status().word())
        .sorted()
        .toList();
  }

  @Test
  void aCrisisAlertsTheFirstOnTheRotaByEveryMethodWithoutAWordOfTheParticipant() throws Exception {
    var robin = robin();
    var incident = crisis(robin);
    await().until(() -> CALLS.size() == 1 && mailedTo().size() == 1);
    assertThat(mailedTo()).containsExactly("first@example.org");
    var link = "https://line.example.org/safety/" + incident.id();
    assertThat(mailed(0)).contains(link);
    var call = CALLS.getFirst();
    assertThat(call.json().path("link").asText()).isEqualTo(link);
    assertThat(call.json().path("recipient").asText()).isEqualTo("first on call");
    for (var words : List.of(mailed(0), call.body())) {
      assertThat(words)
          .doesNotContain("kill", robin.phone().e164(), robin.id())
          .doesNotContain(String.valueOf(robin.name()));
    }
    var mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(KEY, "HmacSHA256"));
    var signed =
        call.headers().get("id") + "." + call.headers().get("timestamp") + "." + call.body();
    assertThat(call.headers().get("signature"))
        .isEqualTo(
            "v1,"
                + Base64.getEncoder()
                    .encodeToString(mac.doFinal(signed.getBytes(StandardCharsets.UTF_8))));
    await()
        .untilAsserted(() ->
            assertThat(statuses(incident))
                .containsExactly("0 email first on call sent", "0 webhook first on call sent"));
  }

  @Test
  void theNextOnTheRotaIsAlertedUntilSomebodyAcknowledges() {
    var incident = crisis(robin());
    await().until(() -> mailedTo().size() == 1);
    day.line().system().advance(ESCALATED);
    await().until(() -> mailedTo().size() == 2);
    assertThat(mailedTo()).containsExactly("first@example.org", "second@example.org");
    assertThat(mailed(1)).contains("still open");
    day.line().system().advance(ESCALATED);
    await().until(() -> mailedTo().size() == 3);
    assertThat(mailedTo())
        .containsExactly("first@example.org", "first@example.org", "second@example.org");
    await().until(() -> CALLS.size() == 3);
    incidents().acknowledge(incident, "Sam");
    day.line().system().advance(ESCALATED);
    var other = crisis(robin());
    await().until(() -> mailedTo().size() == 4);
    assertThat(alerting().of(incident.id())).hasSize(6);
    await().until(() -> statuses(other).stream().allMatch(it -> it.endsWith(" sent")));
  }

  @Test
  void anAlertThatFailsIsTriedAgainAndTheOtherMethodDoesNotWaitForIt() {
    var incident = crisisThatTheWebhookRefuses();
    await().until(() -> mailedTo().size() == 1);
    assertThat(alerting().isFailing()).isFalse();
    day.line().system().advance(Duration.ofMinutes(3));
    assertThat(alerting().isFailing()).isTrue();
    assertThat(alerting().warnings())
        .filteredOn(it -> it.problem() == AlertProblem.ALERT_FAILING)
        .anySatisfy(it ->
            assertThat(it.sentence())
                .startsWith(
                    "An alert of a crisis to first on call by webhook has not arrived after ")
                .endsWith(": its server answered with HTTP status 500. Open the incident now."));
    answer = 200;
    day.line().system().advance(Duration.ofMinutes(3));
    await().until(() -> !alerting().isFailing());
    assertThat(CALLS)
        .hasSizeGreaterThan(1)
        .extracting(it -> it.headers().get("id"))
        .containsOnly(byWebhook(incident).id());
    assertThat(mailedTo()).hasSize(1);
  }

  private static Incident crisisThatTheWebhookRefuses() {
    answer = 500;
    var incident = crisis(robin());
    await()
        .until(() ->
            alerting().of(incident.id()).stream().anyMatch(it -> it.fault() == AlertFault.REFUSED));
    return incident;
  }

  private static Alert byWebhook(Incident incident) {
    return alerting().of(incident.id()).stream()
        .filter(it -> it.channel() == AlertChannel.WEBHOOK)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void anAlertThatAProcessTookBeforeItDiedIsSentByTheNext() {
    var incident = crisisThatTheWebhookRefuses();
    day.line()
        .write(
            "UPDATE alert SET fault = NULL, attempts = 70, next_at = ? WHERE id = ?",
            OffsetDateTime.ofInstant(
                day.line().system().instant().plus(Alerting.TAKEN), ZoneOffset.UTC),
            byWebhook(incident).id());
    answer = 200;
    day.line().system().advance(Alerting.TAKEN);
    await().until(() -> byWebhook(incident).status() == AlertStatus.SENT);
    assertThat(byWebhook(incident).attempts()).isGreaterThan(70);
  }

  @Test
  void aDangerLongAfterAnAcknowledgementAlertsAgain() {
    var robin = robin();
    var incident = crisis(robin);
    await().until(() -> mailedTo().size() == 1);
    incidents().acknowledge(incident, "Sam");
    day.line().system().advance(ESCALATED);
    day.line().answered(robin, DANGER);
    assertThat(incidents().crisis(robin.id()).orElseThrow().status())
        .isEqualTo(IncidentStatus.ACKNOWLEDGED);
    day.line().study().advance(Duration.ofHours(2));
    day.line().answered(robin, DANGER);
    await().until(() -> mailedTo().size() == 2);
    assertThat(incidents().crisis(robin.id()).orElseThrow().status())
        .isEqualTo(IncidentStatus.OPEN);
  }

  @Test
  void anIncidentThatOpensAgainAlertsAtOnceHoweverLongUnacknowledgedOnesWait() {
    var robin = robin();
    var incident = crisis(robin);
    await().until(() -> mailedTo().size() == 1);
    incidents().acknowledge(incident, "Sam");
    // By the study's clock the acknowledgement is old; by the system's, nobody needs to be
    // escalated to.
    day.line().study().advance(Duration.ofHours(2));
    day.line().answered(robin, DANGER);
    await().until(() -> mailedTo().size() == 2);
    assertThat(alerting().next(incident.id()).orElseThrow().left()).isPositive();
  }

  @Test
  void anAlertAboutAnUrgentFlagDoesNotSayThatSomebodyMayBeInDanger() {
    var robin = robin();
    day.fake()
        .then(Scripted.call("flag_for_staff", "{\"kind\":\"adverse_event\",\"urgency\":\"now\"}"));
    day.fake().then(Scripted.say("Thank you for telling me."));
    day.line().answered(robin, "the new tablets do not agree with me");
    await().until(() -> CALLS.size() == 1 && mailedTo().size() == 1);
    for (var words : List.of(mailed(0), CALLS.getFirst().body())) {
      assertThat(words).contains("urgent flag").doesNotContain("danger");
    }
  }

  @Test
  void anAlertThatFailedUntilNobodyNeededItHasFailedAndSaysHow() {
    var incident = crisisThatTheWebhookRefuses();
    day.line().system().advance(Duration.ofMinutes(3));
    await().until(() -> CALLS.size() > 1 && byWebhook(incident).attempts() > 1);
    incidents().acknowledge(incident, "Sam");
    day.line().system().advance(Duration.ofMinutes(3));
    await().until(() -> byWebhook(incident).status() == AlertStatus.FAILED);
    var alert = byWebhook(incident);
    assertThat(alert.attempts()).isEqualTo(CALLS.size());
    assertThat(alert.httpStatus()).isEqualTo(500);
    assertThat(alert.triedAt()).isAfter(alert.plannedAt());
    assertThat(alert.why()).isEqualTo("its server answered with HTTP status 500");
    await().until(() -> !alerting().isFailing());
  }

  @Test
  void anAlertThatWasNotTriedAndNobodyNeedsAnyMoreIsDropped() {
    var incident = crisisThatTheWebhookRefuses();
    incidents().acknowledge(incident, "Sam");
    day.line()
        .write(
            "UPDATE alert SET fault = NULL, http_status = NULL, attempts = 0 WHERE id = ?",
            byWebhook(incident).id());
    day.line().system().advance(Duration.ofMinutes(3));
    await().until(() -> byWebhook(incident).status() == AlertStatus.DROPPED);
    assertThat(byWebhook(incident).attempts()).isZero();
  }

  @Test
  void aConcernAlertsNobody() {
    var robin = robin();
    day.line().answered(robin, "everything feels pointless");
    assertThat(incidents().unreleased(10)).hasSize(1);
    // The crisis after it is the witness that somebody looked.
    crisis(robin());
    await().until(() -> mailedTo().size() == 1);
    assertThat(
            day.line()
                .rows(
                    "SELECT a.id FROM alert a JOIN incident i ON i.id = a.incident_id WHERE i.level = 'concern'"))
        .isEmpty();
  }

  @Test
  void aMailServerThatIsAwayIsTriedAgain() {
    mail.stop();
    try {
      var incident = crisis(robin());
      await().until(() -> CALLS.size() == 1);
      await()
          .until(() ->
              alerting().of(incident.id()).stream()
                  .anyMatch(it -> it.fault() == AlertFault.UNREACHABLE));
    } finally {
      mail.start();
    }
    day.line().system().advance(Duration.ofMinutes(3));
    await().until(() -> mailedTo().size() == 1);
    assertThat(Arrays.asList(mail.getReceivedMessages())).hasSize(1);
  }
}
