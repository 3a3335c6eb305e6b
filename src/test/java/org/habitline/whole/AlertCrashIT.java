package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import org.awaitility.Awaitility;
import org.habitline.whole.TextingLine.Database;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The jar is killed while it alerts staff of a crisis and while staff handle it, and one of two
 * nodes stands still (SIGSTOP) while it sends an alert or opens an incident. Alerts go by webhook
 * and by SMS. Each build tries one case on H2; the long tests do the rest.
 */
final class AlertCrashIT {

  private static final String DANGER = "I want to kill myself tonight";
  private static final String FIRST = "Hello, this is Sam.";
  private static final String ON_CALL = "+12065550177";
  private static final String SECRET = "whsec_" + Base64.getEncoder().encodeToString(new byte[24]);

  @TempDir static Path homes;

  private static final Map<String, String> table = new ConcurrentSkipListMap<>();

  private static final List<Call> calls = new CopyOnWriteArrayList<>();
  private static HttpServer webhook;
  private static final TextingLines lines = new TextingLines(AlertCrashIT::line);

  private record Call(String id, String incident) {}

  @BeforeAll
  static void open() throws IOException {
    webhook = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    webhook.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    webhook.createContext(
        "/",
        exchange -> {
          var body = new JsonMapper().readTree(exchange.getRequestBody());
          calls.add(
              new Call(
                  exchange.getRequestHeaders().getFirst("webhook-id"),
                  body.path("incident_id").asText()));
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    webhook.start();
  }

  @AfterAll
  static void end() {
    lines.close();
    webhook.stop(0);
    System.out.println("| what | took or left |");
    System.out.println("|---|---|");
    table.forEach((what, left) -> System.out.println("| " + what + " | " + left + " |"));
  }

  private static Path home(String name) {
    try {
      var config = Files.createDirectories(homes.resolve(name).resolve("config"));
      Files.writeString(
          config.resolve("study.yaml"),
          """
          safety:
            time_zone: UTC
            webhook: http://127.0.0.1:%d/
            rota:
              - on call: {phone: "%s"}
          """
              .formatted(webhook.getAddress().getPort(), ON_CALL));
      return homes.resolve(name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts a line whose real channels are on, because a test alert was acknowledged. */
  private static TextingLine line(String name, Database database) {
    var line = new TextingLine(home(name), database, Map.of("ALERT_WEBHOOK_SECRET", SECRET));
    line.deployment().startWithDebugger();
    var before = calls.size();
    var test = line.deployment().post("/alerting/test", Map.of()).body().at("/result/id").asText();
    await("the test alert arrives").until(() -> calls.size() > before && alertsBySms(line) == 1);
    assertThat(
            line.deployment().post("/alerting/tests/" + test + "/acknowledge", Map.of()).accepted())
        .isTrue();
    return line;
  }

  private static org.awaitility.core.ConditionFactory await(String what) {
    return Awaitility.await(what).pollInterval(Duration.ofMillis(100));
  }

  private static int alertsBySms(TextingLine line) {
    return line.sentTo(ON_CALL).size();
  }

  private static void ignoringItsDeath(Runnable act) {
    try {
      act.run();
    } catch (RuntimeException e) {
      // The process died before it answered.
    }
  }

  private static String incident(TextingLine line, String id) {
    await("the incident")
        .until(() ->
            !line.ledger().words("select id from incident where participant_id = ?", id).isEmpty());
    return line.ledger().words("select id from incident where participant_id = ?", id).getFirst();
  }

  /** Waits until the first round of alerts is sent; returns the incident. */
  private static String alerted(TextingLine line, String id) {
    var incident = incident(line, id);
    await("both alerts are sent")
        .until(() ->
            line.ledger()
                    .words(
                        "select channel from alert where incident_id = ? and status = 'sent'",
                        incident)
                    .size()
                == 2);
    return incident;
  }

  private static void assertAlertedOnce(TextingLine line, String incident) {
    assertThat(calls.stream().filter(it -> it.incident().equals(incident)).map(Call::id).distinct())
        .hasSize(1);
    assertThat(line.sentTo(ON_CALL)).filteredOn(it -> it.contains(incident)).hasSize(1);
    assertThat(line.ledger().words("select status from alert where incident_id = ?", incident))
        .containsOnly("sent")
        .hasSize(2);
  }

  @Test
  void anAlertThatWasSentIsNotSentAgainThoughTheProcessDies() {
    lines.with(
        Database.H2, line -> alertAndDie(line, "sent and not recorded", "record", Database.H2));
  }

  @ParameterizedTest
  @Tag("endurance")
  @CsvSource({
    "planned and not taken, step, H2",
    "planned and not taken, step, POSTGRESQL",
    "taken and not sent, send, H2",
    "taken and not sent, send, POSTGRESQL",
    "sent and not recorded, record, H2",
    "sent and not recorded, record, POSTGRESQL"
  })
  void everyMethodHasOneAlertWhereverTheProcessDies(
      String where, String method, Database database) {
    lines.with(database, line -> alertAndDie(line, where, method, database));
  }

  private static void alertAndDie(
      TextingLine line, String where, String method, Database database) {
    var number = Lines.nextPhone();
    var id = line.greeted(number);
    var text = line.phone().sms(number, DANGER);
    var death = line.deployment().willDieAt("safety.alerts.Alerting", method, 1);
    ignoringItsDeath(text::post);
    Deployment.await(death);

    goOn(line);
    assertThat(line.phone().sms(number, DANGER).withSid(text.sid()).post().status()).isEqualTo(200);
    var incident = alerted(line, id);
    line.awaitTexts(number, 2);
    assertAlertedOnce(line, incident);
    assertThat(line.sentTo(number)).hasSize(2);
    assertThat(
            line.ledger()
                .words("select status || ' ' || texts from incident where id = ?", incident))
        .containsExactly("open 1");
    table.put(
        "killed: alert " + where + ", " + database,
        calls.stream().filter(it -> it.incident().equals(incident)).count()
            + " webhook call(s), 1 SMS");
    // So that no alert of it follows in a later case.
    assertThat(acknowledge(line, incident).accepted()).isTrue();
  }

  @ParameterizedTest
  @Tag("endurance")
  @CsvSource({
    "safety.incidents.Incidents, changed, H2",
    "safety.incidents.Incidents, changed, POSTGRESQL"
  })
  void anAcknowledgementThatDiedIsGivenAgain(String className, String method, Database database) {
    lines.with(
        database,
        line -> {
          var number = Lines.nextPhone();
          var id = line.greeted(number);
          line.phone().text(number, DANGER);
          var incident = alerted(line, id);
          var death = line.deployment().willDieAt(className, method, 1);
          ignoringItsDeath(() -> acknowledge(line, incident));
          Deployment.await(death);

          goOn(line);
          assertThat(line.ledger().words("select status from incident where id = ?", incident))
              .containsExactly("open");
          assertThat(acknowledge(line, incident).accepted()).isTrue();
          line.deployment().kill();
          goOn(line);
          assertThat(line.ledger().words("select status from incident where id = ?", incident))
              .containsExactly("acknowledged");
          assertAlertedOnce(line, incident);
          table.put("killed: acknowledging, " + database, "open, then acknowledged once");
        });
  }

  @ParameterizedTest
  @Tag("endurance")
  @CsvSource({
    "messaging.outbox.Outbox, plan, acknowledged, H2",
    "messaging.outbox.Outbox, plan, acknowledged, POSTGRESQL",
    "messaging.outbox.OutboxLoop, send, released, H2",
    "messaging.outbox.OutboxLoop, send, released, POSTGRESQL"
  })
  void aReleaseThatDiedLeavesOneFirstMessage(
      String className, String method, String left, Database database) {
    lines.with(
        database,
        line -> {
          var number = Lines.nextPhone();
          var id = line.greeted(number);
          line.phone().text(number, DANGER);
          var incident = alerted(line, id);
          line.awaitTexts(number, 2);
          await("everything is recorded").until(() -> line.ledger().openOutbox() == 0);
          assertThat(acknowledge(line, incident).accepted()).isTrue();
          assertThat(
                  line.deployment()
                      .post(
                          "/incidents/" + incident + "/entries",
                          Map.of("kind", "contact", "note", "at home"))
                      .accepted())
              .isTrue();
          var death = line.deployment().willDieAt(className, method, 1);
          ignoringItsDeath(() -> release(line, incident));
          Deployment.await(death);

          goOn(line);
          assertThat(line.ledger().words("select status from incident where id = ?", incident))
              .containsExactly(left);
          assertThat(release(line, incident).status())
              .isEqualTo(left.equals("released") ? 409 : 200);
          line.awaitTexts(number, 3);
          await("everything is recorded").until(() -> line.ledger().openOutbox() == 0);
          assertThat(line.sentTo(number)).filteredOn(FIRST::equals).hasSize(1);
          assertThat(line.ledger().words("select status from incident where id = ?", incident))
              .containsExactly("released");
          table.put(
              "killed: releasing, left " + left + ", " + database,
              "released once, 1 first message");
        });
  }

  /** Starts the line again; the alert that the dead process was sending is not waited for. */
  private static void goOn(TextingLine line) {
    line.ledgerOfADeadLine()
        .change(
            "update alert set next_at = ? where status = 'planned' and attempts > 0",
            OffsetDateTime.now(ZoneOffset.UTC).minusSeconds(1));
    line.goOn();
  }

  private static Deployment.Answer acknowledge(TextingLine line, String incident) {
    return line.deployment().post("/incidents/" + incident + "/acknowledge", Map.of());
  }

  private static Deployment.Answer release(TextingLine line, String incident) {
    return line.deployment()
        .post(
            "/incidents/" + incident + "/release", Map.of("outcome", "referred", "message", FIRST));
  }

  @Test
  @Tag("endurance")
  void aFrozenNodeLeavesItsAlertToAnother() {
    try (var line = line("frozen-one", Database.POSTGRESQL);
        var second = line.node(home("frozen-two"))) {
      var first = line.deployment();
      var sending = Lines.nextPhone();
      var opening = Lines.nextPhone();
      var id = line.greeted(sending);
      var other = line.greeted(opening);
      var frozen = first.willFreezeAt("org.habitline.safety.alerts.Alerting", "send", 1);
      line.phone().text(sending, DANGER);
      Deployment.await(frozen);
      var before = System.nanoTime();
      second.start();
      var incident = alerted(line, id);
      assertAlertedOnce(line, incident);
      since("an alert, whose node is frozen while it sends it", before);
      first.jar().thaw();
      await("it leaves the alert to the other")
          .until(() -> first.get("/health/liveness").status() == 200);
      assertAlertedOnce(line, incident);

      var inTheCommit = first.willFreezeAt("org.habitline.safety.incidents.Incidents", "opened", 1);
      var text = line.phone(first).sms(opening, DANGER);
      var posted = CompletableFuture.runAsync(() -> ignoringItsDeath(text::post));
      Deployment.await(inTheCommit);
      var again = System.nanoTime();
      await("the other node takes the text")
          .until(() ->
              line.phone(second).sms(opening, DANGER).withSid(text.sid()).post().status() == 200);
      var joined = alerted(line, other);
      since("an alert, whose node is frozen while it opens the incident", again);
      first.jar().thaw();
      posted.join();
      assertAlertedOnce(line, joined);
      assertThat(
              line.ledger()
                  .words("select status || ' ' || texts from incident where id = ?", joined))
          .containsExactly("open 1");
      line.awaitTexts(opening, 2);
      assertThat(line.sentTo(opening)).hasSize(2);
    }
  }

  /** Reports how long it took; the figure contains the start of a process. */
  private static void since(String what, long before) {
    var took = Duration.ofNanos(System.nanoTime() - before);
    table.put("frozen: " + what, took.toMillis() + " ms");
  }
}
