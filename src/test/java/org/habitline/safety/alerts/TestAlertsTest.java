package org.habitline.safety.alerts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.icegreen.greenmail.util.GreenMail;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.TemporalAdjusters;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.habitline.MailServer;
import org.habitline.conversation.wakeups.PromptDay;
import org.habitline.messaging.DeliveryFailure;
import org.habitline.messaging.DeliveryReport;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.OutboundMessage;
import org.habitline.messaging.outbox.DeliveryReports;
import org.habitline.messaging.outbox.LaunchGate;
import org.habitline.messaging.outbox.SendingStop;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.OptOutSource;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.participants.PhoneNumber;
import org.habitline.safety.incidents.EntryKind;
import org.habitline.safety.incidents.Incident;
import org.habitline.safety.incidents.IncidentOutcome;
import org.habitline.safety.incidents.IncidentStatus;
import org.habitline.safety.incidents.Incidents;
import org.habitline.storage.Transactions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Alerts by SMS go through the outbox, and real channels are off until a test alert arrived by two
 * methods. The study has coverage from 9 to 17 in Berlin.
 */
final class TestAlertsTest {

  private static final String DANGER = "I want to kill myself tonight";
  private static final PhoneNumber ON_CALL = new PhoneNumber("+12065550177");
  private static final String SECRET =
      "whsec_"
          + Base64.getEncoder()
              .encodeToString("twenty-four random bytes".getBytes(StandardCharsets.UTF_8));

  private static volatile CountDownLatch held = new CountDownLatch(0);
  private static volatile int answer = 200;

  private static GreenMail mail;
  private static HttpServer webhook;
  private PromptDay day;

  @BeforeAll
  static void start() throws IOException {
    mail = MailServer.start();
    webhook = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    webhook.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    webhook.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          try {
            held.await(5, TimeUnit.MINUTES);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          exchange.sendResponseHeaders(answer, -1);
          exchange.close();
        });
    webhook.start();
  }

  @AfterAll
  static void stop() {
    webhook.stop(0);
    mail.stop();
  }

  /** Each test has a line of its own, because real channels open only once. */
  @BeforeEach
  void begin() throws Exception {
    answer = 200;
    held = new CountDownLatch(0);
    mail.purgeEmailFromAllMailboxes();
    day =
        PromptDay.of(
            TestAlertsTest.class,
            setup ->
                setup
                    .study(
                        """
                        safety:
                          time_zone: Europe/Berlin
                          escalate_after: 10
                          coverage: {days: [mon, tue, wed, thu, fri, sat], hours: "09:00-17:00"}
                          webhook: http://127.0.0.1:%d/alerts
                          email: {host: 127.0.0.1, port: %d, security: none, from: line@example.org}
                          rota:
                            - on call: {email: first@example.org, phone: "%s"}
                        """
                            .formatted(
                                webhook.getAddress().getPort(),
                                mail.getSmtp().getPort(),
                                ON_CALL.e164()))
                    .with("alert.webhook-secret", SECRET)
                    .with("habitline.public-url", "https://line.example.org"));
    day.line().bean(Alerting.class).start();
    day.at("10:00");
  }

  @AfterEach
  void close() {
    day.line().bean(Alerting.class).stop(Duration.ofSeconds(5));
    day.close();
  }

  private Incidents incidents() {
    return day.line().bean(Incidents.class);
  }

  private Alerting alerting() {
    return day.line().bean(Alerting.class);
  }

  private TestAlerts tests() {
    return day.line().bean(TestAlerts.class);
  }

  private Incident crisis() {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    day.line().answered(robin, DANGER);
    return incidents().crisis(robin.id()).orElseThrow();
  }

  private Alert bySms(String about) {
    return alerting().of(about).stream()
        .filter(it -> it.channel() == AlertChannel.SMS)
        .findFirst()
        .orElseThrow();
  }

  private List<OutboundMessage> toStaff() {
    return day.sms().all().stream().filter(it -> it.kind() == OutboundKind.ALERT).toList();
  }

  private Participant onCall() {
    return day.line().bean(Participants.class).findWithContacts(ON_CALL).orElseThrow();
  }

  private void becomes(String about, AlertStatus status) {
    await()
        .until(() ->
            alerting().of(about).stream()
                .anyMatch(it -> it.channel() == AlertChannel.SMS && it.status() == status));
  }

  @Test
  void anAlertGoesBySmsWhateverHoldsOtherMessagesAndSaysNothingOfTheParticipant() {
    var transactions = day.line().bean(Transactions.class);
    transactions.write(() -> {
      assertThat(day.line().bean(SendingStop.class).stop("Sam", "a test")).isTrue();
    });
    day.at("23:30");
    var robin = day.line().enrol(ChannelKind.SIMULATOR);
    day.line().text(robin, DANGER);
    await().until(() -> toStaff().size() == 1);
    var incident = incidents().crisis(robin.id()).orElseThrow();
    becomes(incident.id(), AlertStatus.SENT);
    var message = toStaff().getFirst();
    assertThat(message.to()).isEqualTo(ON_CALL);
    assertThat(message.body())
        .contains("https://line.example.org/safety/" + incident.id())
        .doesNotContain("kill", robin.phone().e164(), robin.id())
        .doesNotContain(String.valueOf(robin.name()))
        .hasSizeLessThan(160);
    assertThat(onCall().contact()).isTrue();
    assertThat(day.line().rows("SELECT * FROM message WHERE participant_id = ?", onCall().id()))
        .isEmpty();
  }

  @Test
  void aNumberThatOptedOutIsSaidAndTheOtherMethodsGoOn() {
    day.line()
        .bean(Participants.class)
        .optOut(ON_CALL, OptOutSource.KEYWORD, Instant.parse("2026-01-01T00:00:00Z"));
    assertThat(alerting().warnings())
        .anySatisfy(it -> {
          assertThat(it.problem()).isEqualTo(AlertProblem.NUMBER_OPTED_OUT);
          assertThat(it.sentence())
              .startsWith("The number of on call in config/study.yaml opted out");
        });
    var incident = crisis();
    becomes(incident.id(), AlertStatus.FAILED);
    assertThat(bySms(incident.id()).fault()).isEqualTo(AlertFault.OPTED_OUT);
    await().until(() -> mail.getReceivedMessages().length == 1);
    assertThat(toStaff()).isEmpty();
    day.line().system().advance(Duration.ofMinutes(3));
    assertThat(alerting().isFailing()).isTrue();
  }

  @Test
  void anAlertThatTheProviderCannotDeliverCountsAsNotSent() {
    var incident = crisis();
    becomes(incident.id(), AlertStatus.SENT);
    day.line().system().advance(Duration.ofMinutes(3));
    // It looks again first, as so much time has passed.
    await().until(() -> !alerting().isFailing());
    var provider =
        day.line()
            .column(
                "SELECT provider_id FROM outbox WHERE kind = 'alert' AND provider_id IS NOT NULL")
            .getFirst();
    day.line()
        .bean(DeliveryReports.class)
        .accept(
            new DeliveryReport(
                provider,
                "undelivered",
                DeliveryStatus.UNDELIVERED,
                "30005",
                DeliveryFailure.FINAL));
    becomes(incident.id(), AlertStatus.FAILED);
    assertThat(alerting().isFailing()).isTrue();
  }

  @Test
  void realChannelsAreOffUntilATestAlertOnTwoMethodsIsAcknowledged() {
    assertThat(tests().isClosed()).isTrue();
    assertThat(tests().banner().orElseThrow()).startsWith("Messages by SMS wait until");
    var robin = day.line().enrol(ChannelKind.SMS);
    await()
        .until(() ->
            !day.line()
                .rows(
                    "SELECT id FROM outbox WHERE participant_id = ? AND hold = 'test_alert' AND reason = ?",
                    robin.id(),
                    LaunchGate.REASON)
                .isEmpty());
    // A day and more: nothing is lost.
    day.line().system().advance(Duration.ofHours(26));
    day.line().text(robin, "HELP");
    await().until(() -> day.sms().bodies(robin).size() == 1);
    assertThat(day.sms().all().getLast().kind()).isEqualTo(OutboundKind.HELP);
    day.line().text(robin, DANGER);
    await().until(() -> day.sms().bodies(robin).size() == 2);
    assertThat(day.sms().bodies(robin).getLast()).startsWith("This is an automated message.");

    var friend = day.line().enrol(ChannelKind.SMS);
    await()
        .until(() ->
            !day.line()
                .rows(
                    "SELECT id FROM outbox WHERE participant_id = ? AND hold = 'test_alert'",
                    friend.id())
                .isEmpty());
    answer = 500;
    var test = tests().start("Sam");
    await().until(() -> bySms(test.id()).status() == AlertStatus.SENT);
    assertThat(toStaff())
        .anySatisfy(it -> assertThat(it.body()).contains("test alert", "No one is in danger"));
    tests().acknowledge(test.id(), "Sam");
    await().until(() -> !tests().isClosed());
    await().until(() -> day.sms().bodies(friend).size() == 1);
    assertThat(tests().warning()).isEmpty();
    assertThat(tests().isUntested()).isFalse();
  }

  @Test
  void oneMethodIsNotEnough() {
    held = new CountDownLatch(1);
    mail.stop();
    try {
      var test = tests().start("Sam");
      await().until(() -> bySms(test.id()).status() == AlertStatus.SENT);
      assertThat(tests().missing(test))
          .containsExactly(AlertTestGap.ACKNOWLEDGEMENT, AlertTestGap.METHOD_OTHER_THAN_TWILIO);
      tests().acknowledge(test.id(), "Sam");
      assertThat(tests().isClosed()).isTrue();
      assertThat(tests().warning())
          .contains(
              "Messages by SMS wait. The last test alert was acknowledged, but has not passed."
                  + " Still missing: a method other than Twilio (e-mail or webhook) by which it is"
                  + " sent.");
      held.countDown();
      await().until(() -> !tests().isClosed());
      assertThat(tests().missing(tests().newest().orElseThrow())).isEmpty();
      assertThat(tests().warning()).isEmpty();
      // The weekly test needs two methods as well.
      answer = 500;
      day.line().system().advance(Duration.ofDays(9));
      await().until(() -> !tests().newest().orElseThrow().id().equals(test.id()));
      var weekly = tests().newest().orElseThrow();
      await().until(() -> bySms(weekly.id()).status() == AlertStatus.SENT);
      tests().acknowledge(weekly.id(), "Sam");
      assertThat(tests().isUntested()).isTrue();
      assertThat(tests().isClosed()).isFalse();
      assertThat(tests().warning().orElseThrow())
          .startsWith("The last test alert was acknowledged, but has not passed.");
      answer = 200;
      day.line().system().advance(Duration.ofMinutes(3));
      await().until(() -> !tests().isUntested());
      assertThat(tests().warning()).isEmpty();
    } finally {
      held.countDown();
      mail.start();
    }
  }

  @Test
  void theTestIsRepeatedEveryWeekAndSendingGoesOnIfNobodyAcknowledgesIt() {
    assertThat(tests().newest()).isEmpty();
    // Far from the weekly time, so that exactly one falls into a week and none into a day.
    var now = day.line().system().instant().atZone(ZoneOffset.UTC);
    day.line()
        .system()
        .advance(
            Duration.between(
                now, now.with(TemporalAdjusters.next(DayOfWeek.WEDNESDAY)).with(LocalTime.NOON)));
    var first = tests().start("Sam");
    await()
        .until(() ->
            alerting().of(first.id()).stream().allMatch(it -> it.status() == AlertStatus.SENT));
    tests().acknowledge(first.id(), "Sam");
    await().until(() -> !tests().isClosed());
    day.line().system().advance(Duration.ofDays(7));
    await().until(() -> !tests().newest().orElseThrow().id().equals(first.id()));
    var weekly = tests().newest().orElseThrow();
    assertThat(weekly.startedBy()).isEqualTo("habitline");
    await()
        .until(() ->
            alerting().of(weekly.id()).stream().allMatch(it -> it.status() == AlertStatus.SENT));
    assertThat(tests().warning()).isEmpty();
    day.line().system().advance(Duration.ofHours(25));
    assertThat(tests().warning().orElseThrow()).startsWith("No one has acknowledged the last test");
    assertThat(tests().isUntested()).isTrue();
    assertThat(tests().isClosed()).isFalse();
    tests().acknowledge(weekly.id(), "Kim");
    assertThat(tests().warning()).isEmpty();
  }

  @Test
  void theFixedTextSaysWhenAPersonReads() {
    // It is Sunday, and they live in Berlin, too.
    var sunday = day.greeted(ChannelKind.SIMULATOR);
    day.line().answered(sunday, DANGER);
    assertThat(day.texts(sunday, "crisis").getLast())
        .endsWith("A person next reads messages here on Monday from 9:00 AM.");
    day.at("10:00");
    var monday = day.greeted(ChannelKind.SIMULATOR);
    day.line().answered(monday, DANGER);
    assertThat(day.texts(monday, "crisis").getLast())
        .endsWith("A person reads messages here until 5:00 PM.");
    day.at("18:00");
    var evening = day.greeted(ChannelKind.SIMULATOR);
    day.line().answered(evening, "quiero suicidarme esta noche");
    assertThat(day.texts(evening, "crisis").getLast())
        .endsWith("Una persona leerá los mensajes aquí el martes a partir de las 9:00.");
    day.at("08:00");
    var morning = day.greeted(ChannelKind.SIMULATOR);
    day.line().answered(morning, DANGER);
    assertThat(day.texts(morning, "crisis").getLast())
        .endsWith("A person next reads messages here today from 9:00 AM.");
  }

  @Test
  void aNodeKeepsAnAlertWhileItsServerIsSlowAndRecordsItAfterAnAcknowledgement() {
    held = new CountDownLatch(1);
    var incident = crisis();
    await()
        .until(() ->
            alerting().of(incident.id()).stream()
                .anyMatch(it -> it.channel() == AlertChannel.WEBHOOK && it.attempts() == 1));
    for (int i = 0; i < 2; i++) {
      day.line().system().advance(Alerting.TAKEN.minusSeconds(8));
      await()
          .until(() ->
              !day.line()
                  .rows(
                      "SELECT id FROM alert WHERE channel = 'webhook' AND attempts = 1 AND next_at > ?",
                      OffsetDateTime.ofInstant(
                          day.line().system().instant().plusSeconds(20), ZoneOffset.UTC))
                  .isEmpty());
    }
    incidents().acknowledge(incident, "Sam");
    held.countDown();
    await()
        .until(() ->
            alerting().of(incident.id()).stream()
                .filter(it -> it.channel() == AlertChannel.WEBHOOK)
                .allMatch(it -> it.status() == AlertStatus.SENT));
    incidents().record(incident, EntryKind.CONTACT, "ok", "Sam");
    incidents().release(incident, IncidentOutcome.REFERRED, null, "Sam");
    assertThat(incidents().find(incident.id()).orElseThrow().status())
        .isEqualTo(IncidentStatus.RELEASED);
  }
}
