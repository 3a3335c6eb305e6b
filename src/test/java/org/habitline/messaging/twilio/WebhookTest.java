package org.habitline.messaging.twilio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.habitline.RestLine;
import org.habitline.SettableClock;
import org.habitline.TestClocks;
import org.habitline.messaging.RefusedCalls;
import org.habitline.messaging.inbox.RawPosts;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** Real webhooks into a real line, and its texts out to a server that plays Twilio. */
@ResourceLock(value = Resources.SYSTEM_ERR, mode = ResourceAccessMode.READ)
final class WebhookTest {

  static final String PUBLIC_URL = "https://line.example";
  private static final AtomicInteger NUMBERS = new AtomicInteger(1000);

  private static FakeTwilio twilio;
  private static RestLine line;
  private static TwilioPhone phone;

  @BeforeAll
  static void start() {
    twilio = FakeTwilio.start();
    line = RestLine.start(WebhookTest.class, settings(twilio));
    phone = TwilioPhone.calling(line.url(), PUBLIC_URL);
    twilio.reaching(PUBLIC_URL, line.url());
  }

  @AfterAll
  static void stop() {
    line.close();
    twilio.close();
  }

  @AfterEach
  void everythingWasWithinTheRules() {
    assertThat(twilio.violations()).isEmpty();
  }

  static Map<String, String> settings(FakeTwilio twilio) {
    return twilio.settings(
        "twilio.whatsapp-from",
        TwilioPhone.LINE_NUMBER,
        "twilio.sms-rate",
        "1000",
        "twilio.whatsapp-rate",
        "1000",
        "habitline.public-url",
        PUBLIC_URL);
  }

  private static String newNumber() {
    return "+1206557" + NUMBERS.incrementAndGet();
  }

  /** Enrols someone by SMS and waits for the greeting. */
  private static JsonNode greeted(String number) {
    var enrolled = line.enrol(Map.of("phone_number", number));
    assertThat(enrolled.result().path("channel").asText()).isEqualTo("sms");
    awaitTexts(number, 1);
    return enrolled.result();
  }

  private static List<TwilioMessage> sentTo(String number) {
    return twilio.messages().stream()
        .filter(message -> !message.inbound() && message.to().endsWith(number))
        .toList();
  }

  /** How Twilio answers texts to this number; other texts of this time are accepted. */
  private static void answers(String number, TwilioAnswer answer) {
    twilio.otherwise(posted -> posted.to().equals(number) ? answer : TwilioAnswer.accept());
  }

  private static void awaitTexts(String number, int howMany) {
    await().until(() -> sentTo(number).size() >= howMany);
  }

  private static List<Map<String, Object>> inbox(String sid) {
    return line.rows("SELECT * FROM inbox WHERE provider_id = ?", sid);
  }

  private static Map<String, Object> delivery(String sid) {
    return line.rows("SELECT * FROM outbox WHERE provider_id = ?", sid).getFirst();
  }

  private static String settled(String number) {
    awaitTexts(number, 1);
    var sid = sentTo(number).getLast().sid();
    await().until(() -> !line.rows("SELECT id FROM outbox WHERE provider_id = ?", sid).isEmpty());
    return sid;
  }

  @Test
  void aSignedTextIsOnDiskWhenItIsAcknowledgedAndAnsweredOnce() {
    var number = newNumber();
    greeted(number);
    var answered = phone.text(number, "make it personal");
    assertThat(answered.status()).isEqualTo(200);
    assertThat(answered.contentType()).startsWith("text/xml");
    assertThat(answered.body()).endsWith("<Response/>");
    assertThat(inbox(answered.sid())).hasSize(1);
    awaitTexts(number, 2);
    assertThat(sentTo(number).getLast().body()).contains("Which moment of your day");
    assertThat(sentTo(number).getLast().statusCallback())
        .isEqualTo(PUBLIC_URL + "/webhooks/twilio/status");
    assertThat(sentTo(number)).hasSize(2);
  }

  @Test
  void aRepeatedMessageIsAcknowledgedAndStoredOnce() {
    var number = newNumber();
    greeted(number);
    var text = phone.sms(number, "make it personal");
    for (int i = 0; i < 3; i++) {
      assertThat(text.post().status()).isEqualTo(200);
    }
    awaitTexts(number, 2);
    assertThat(inbox(text.sid())).hasSize(1);
    phone.text(number, "while the coffee brews");
    awaitTexts(number, 3);
    assertThat(sentTo(number)).hasSize(3);
  }

  @Test
  void whatIsNotSignedByTheAccountIsRefusedAndNotStored() {
    var number = newNumber();
    greeted(number);
    var forged = phone.sms(number, "STOP").forged();
    assertThat(forged.post().status()).isEqualTo(403);
    var otherToken = phone.signedWith("another token").sms(number, "STOP");
    assertThat(otherToken.post().status()).isEqualTo(403);
    var changed = phone.sms(number, "hello");
    assertThat(
            phone
                .post(
                    TwilioPhone.INBOUND_PATH,
                    changed
                        .with("Body", "STOP")
                        .form()
                        .encoded()
                        .getBytes(java.nio.charset.StandardCharsets.UTF_8),
                    phone.sign(TwilioPhone.INBOUND_PATH, changed.form()))
                .status())
        .isEqualTo(403);
    assertThat(inbox(forged.sid())).isEmpty();
    assertThat(inbox(otherToken.sid())).isEmpty();
    assertThat(inbox(changed.sid())).isEmpty();
  }

  /** What the line's log says of its webhooks while this runs, of this source alone. */
  private static List<String> told(String source, Runnable calls) {
    var lines = new ListAppender<ILoggingEvent>();
    var logger = (Logger) LoggerFactory.getLogger(TwilioController.class);
    lines.start();
    logger.addAppender(lines);
    try {
      calls.run();
    } finally {
      logger.detachAppender(lines);
    }
    return List.copyOf(lines.list).stream()
        .map(ILoggingEvent::getFormattedMessage)
        .filter(line -> line.contains(" " + source + " "))
        .toList();
  }

  @Test
  void callsThatAreNotSignedAreCountedAndLoggedOnceAMinutePerSource() {
    var system = SettableClock.running();
    var settings = settings(twilio);
    settings.put("habitline.proxy-header", "X-Test-Source");
    var clocks = new TestClocks(SettableClock.running(), system);
    try (var door = RestLine.start(WebhookTest.class, settings, clocks)) {
      var knocks = door.bean(Knocks.class);
      assertThat(
              told(
                  "192.0.2.77",
                  () -> {
                    for (int i = 0; i < 30; i++) {
                      forged(door, "203.0.113.9, 192.0.2.77");
                    }
                  }))
          .singleElement()
          .asString()
          .contains("(1 from 192.0.2.77 ");
      assertThat(door.bean(RefusedCalls.class).count()).isEqualTo(30);
      system.advance(Duration.ofMinutes(1));
      assertThat(told("192.0.2.77", () -> forged(door, "192.0.2.77")))
          .singleElement()
          .asString()
          .contains("(30 from 192.0.2.77 ");
      assertThat(told("2001:db8:1:2::/64", () -> forged(door, "2001:db8:1:2::a"))).hasSize(1);
      assertThat(told("2001:db8:1:2::/64", () -> forged(door, "2001:db8:1:2:ffff::b")))
          .as("the same network")
          .isEmpty();
      assertThat(told("unknown", () -> forged(door, "<what>"))).hasSize(1);
      system.advance(Duration.ofMinutes(1));
      var sources = IntStream.range(0, 5_000).mapToObj(i -> "10.0." + i / 250 + "." + i % 250);
      assertThat(sources.filter(source -> knocks.knocked(source).isPresent()).count())
          .as("however many sources knock")
          .isLessThanOrEqualTo(20);
    }
  }

  private static void forged(RestLine door, String source) {
    try (var client = HttpClient.newHttpClient()) {
      var answer =
          client.send(
              HttpRequest.newBuilder(URI.create(door.url() + TwilioPhone.INBOUND_PATH))
                  .header("Content-Type", "application/x-www-form-urlencoded")
                  .header("X-Test-Source", source)
                  .header("X-Twilio-Signature", "AAAA")
                  .POST(HttpRequest.BodyPublishers.ofString("Body=STOP&From=%2B12065570001"))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(403);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Test
  void whatIsForAnotherAccountOrNumberIsRefusedCountedAndNotStored() {
    var number = newNumber();
    greeted(number);
    var refused = line.bean(RefusedCalls.class);
    var before = refused.countNotOurs();
    var foreign =
        List.of(
            phone.sms(number, "STOP").with("AccountSid", "AC" + "9".repeat(32)),
            phone.toNumber("+15005550111").sms(number, "STOP"),
            phone.toNumber("+15005550111").whatsAppText(number, "Robin", "STOP"),
            phone
                .toNumber("+15005550111")
                .throughService("MG" + "8".repeat(32))
                .sms(number, "STOP"));
    for (var text : foreign) {
      var answer = text.post();
      assertThat(answer.status()).isEqualTo(403);
      assertThat(answer.body()).doesNotContain(number, "STOP", "15005550111");
      assertThat(inbox(text.sid())).isEmpty();
      assertThat(line.rows("SELECT seq FROM unclaimed_text WHERE provider_id = ?", text.sid()))
          .isEmpty();
    }
    assertThat(refused.countNotOurs()).isEqualTo(before + foreign.size());
    var ours =
        List.of(
            phone.sms(number, "hello"),
            phone.whatsAppText(number, "Robin", "hello"),
            phone.sms("rcs:" + number, "hello").with("To", "rcs:example_agent"));
    ours.forEach(text -> assertThat(text.post().status()).isEqualTo(200));

    var sid = settled(number);
    var report = twilio.callbackForm(sid, "sent");
    assertThat(twilio.callback(sid, report.with("AccountSid", "AC" + "9".repeat(32))))
        .isEqualTo(403);
    assertThat(line.rows("SELECT seq FROM delivery_event WHERE provider_id = ?", sid)).isEmpty();
    assertThat(twilio.callback(sid, report.with("From", "+15005550111")))
        .as("the sender was changed since")
        .isEqualTo(200);
    var stray = report.with("MessageSid", "SM" + "e".repeat(32));
    assertThat(twilio.callback(sid, stray.with("From", "+15005550111"))).isEqualTo(403);
    assertThat(twilio.callback(sid, stray)).as("not known yet").isEqualTo(200);
    assertThat(refused.countNotOurs()).isEqualTo(before + foreign.size() + 2);
  }

  @Test
  void noTextToANumberOfTheMessagingServiceIsLostThoughNoSettingNamesIt() {
    var service = "MG" + "5".repeat(32);
    var settings = settings(twilio);
    settings.remove("twilio.sms-from");
    settings.remove("twilio.whatsapp-from");
    settings.put("twilio.messaging-service-sid", service);
    try (var other = RestLine.start(WebhookTest.class, settings)) {
      var caller = TwilioPhone.calling(other.url(), PUBLIC_URL).toNumber("+15005550177");
      var stranger = newNumber();
      assertThat(caller.throughService(service).sms(stranger, "one").post().status())
          .isEqualTo(200);
      assertThat(caller.sms(stranger, "its webhook is set at the number").post().status())
          .isEqualTo(200);
      assertThat(
              caller
                  .throughService(service)
                  .sms("rcs:" + stranger, "three")
                  .with("To", "rcs:example_agent")
                  .post()
                  .status())
          .isEqualTo(200);
      assertThat(caller.throughService("MG" + "8".repeat(32)).sms(stranger, "four").post().status())
          .isEqualTo(403);
      assertThat(other.rows("SELECT seq FROM unclaimed_text")).hasSize(3);
    }
  }

  @Test
  void oddFormsAreReadAsTwilioSignsThem() {
    var number = newNumber();
    greeted(number);
    var odd =
        phone
            .sms(number, "  two  blanks, a + and an emoji 😀\nand a line ")
            .with("NewParameter", "")
            .and("Repeated", "b")
            .and("Repeated", "a")
            .and("Repeated", "b");
    assertThat(odd.post().status()).isEqualTo(200);
    assertThat(inbox(odd.sid()).getFirst())
        .containsEntry("body", "  two  blanks, a + and an emoji 😀\nand a line ");
    var query = phone.sms(number, "with a query");
    assertThat(query.post(TwilioPhone.INBOUND_PATH + "?study=a%20b&x=%2B").status()).isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "image/jpeg | [image received]",
        "audio/ogg | [audio received]",
        "video/mp4 | [video received]",
        "text/vcard | [contact received]",
        "application/pdf | [document received]",
        "application/zip | [file received]"
      })
  void mediaIsDescribedAndNeverDropped(String type, String description) {
    var number = newNumber();
    greeted(number);
    var picture = phone.sms(number, "look").media(type);
    assertThat(picture.post().status()).isEqualTo(200);
    assertThat(inbox(picture.sid()).getFirst()).containsEntry("body", "look\n" + description);
    var alone = phone.sms(number, "").media(type);
    assertThat(alone.post().status()).isEqualTo(200);
    assertThat(inbox(alone.sid()).getFirst()).containsEntry("body", description);
  }

  @Test
  void buttonsAndPlacesAreTexts() {
    var number = newNumber();
    greeted(number);
    var button =
        phone
            .whatsAppText(number, "Robin", "Done ✅")
            .with(Map.of("ButtonText", "Done", "ButtonPayload", "done"));
    assertThat(button.post().status()).isEqualTo(200);
    assertThat(inbox(button.sid()).getFirst())
        .containsEntry("body", "Done")
        .containsEntry("channel", "whatsapp");
    var place =
        phone
            .sms(number, "")
            .with(Map.of("Latitude", "52.5", "Longitude", "13.4", "Address", "Alexanderplatz"));
    place.post();
    assertThat(inbox(place.sid()).getFirst())
        .containsEntry("body", "[location received: Alexanderplatz]");
  }

  @Test
  void aReplyTakesTheRoadOfTheLastText() {
    var number = newNumber();
    greeted(number);
    phone.whatsApp(number, "Robin", "make it personal");
    awaitTexts(number, 2);
    assertThat(sentTo(number).getLast().to()).isEqualTo("whatsapp:" + number);
    phone.text(number, "while the coffee brews");
    awaitTexts(number, 3);
    assertThat(sentTo(number).getLast().to()).isEqualTo(number);
  }

  @Test
  void whatTwilioSaysOfOptingOutDecides() {
    var number = newNumber();
    var robin = greeted(number);
    phone.text(number, "Ferma", Map.of("OptOutType", "STOP"));
    await().until(() -> optedOut(robin));
    phone.text(number, "aiuto", Map.of("OptOutType", "HELP"));
    var unheard = phone.text(number, "hello?");
    await().until(() -> "done".equals(inbox(unheard.sid()).getFirst().get("status")));
    phone.text(number, "riparti", Map.of("OptOutType", "START"));
    await().until(() -> !optedOut(robin));
    phone.text(number, "make it personal");
    awaitTexts(number, 2);
    assertThat(sentTo(number)).as("the greeting and one answer").hasSize(2);
  }

  private static boolean optedOut(JsonNode participant) {
    return line.get(RestLine.PARTICIPANTS + "/" + participant.path("id").asText())
        .result()
        .path("opted_out")
        .asBoolean();
  }

  @Test
  void aStrangersTextIsKeptForStaffAndNotAnswered() {
    var number = newNumber();
    var text = phone.sms(number, "who is this?");
    assertThat(text.post().status()).isEqualTo(200);
    assertThat(text.post().status()).as("repeated").isEqualTo(200);
    var kept =
        line.get("/unclaimed").result().findParents("sender").stream()
            .filter(row -> row.path("sender").asText().equals(number))
            .toList();
    assertThat(kept).hasSize(1);
    assertThat(kept.getFirst().path("body").asText()).isEqualTo("who is this?");
    phone.whatsApp("US.1234567890", "Robin", "I have no number");
    assertThat(line.get("/unclaimed").result().findValuesAsText("sender"))
        .contains("whatsapp:US.1234567890");
    assertThat(sentTo(number)).isEmpty();
  }

  @Test
  void aStrangerIsEnrolledIfThatIsWantedAndTheTextAnsweredWithoutAGreeting() {
    var settings = settings(twilio);
    settings.put("auto-enroll.new-users", "true");
    settings.put("habitline.default-timezone", "Europe/Berlin");
    try (var open = RestLine.start(WebhookTest.class, settings)) {
      var number = newNumber();
      var caller = TwilioPhone.calling(open.url(), PUBLIC_URL);
      caller.text(number, "make it personal");
      awaitTexts(number, 1);
      var newcomer = open.get(RestLine.PARTICIPANTS).result().get(0);
      assertThat(newcomer.path("phone_number").asText()).isEqualTo(number);
      assertThat(newcomer.path("timezone").asText()).isEqualTo("Europe/Berlin");
      assertThat(newcomer.path("timezone_assumed").asBoolean()).isTrue();
      var leaving = newNumber();
      caller.text(leaving, "STOP");
      assertThat(open.get(RestLine.PARTICIPANTS).result()).hasSize(1);
      assertThat(sentTo(number)).as("one answer to one text").hasSize(1);
    }
  }

  @Test
  void reportsMoveATextForwardAndNeverBack() {
    var number = newNumber();
    greeted(number);
    var sid = settled(number);
    for (var status : List.of("delivered", "sent", "queued", "delivered", "failed")) {
      assertThat(twilio.callback(sid, status)).isEqualTo(200);
    }
    assertThat(delivery(sid)).containsEntry("status", "delivered");
    assertThat(line.rows("SELECT status FROM delivery_event WHERE provider_id = ?", sid))
        .extracting(row -> row.get("status"))
        .containsExactlyInAnyOrder("delivered", "sent", "queued", "failed");
    twilio.callback(sid, "read");
    assertThat(delivery(sid)).containsEntry("status", "read");
  }

  @Test
  void aFailureIsKeptWithItsCode() {
    var number = newNumber();
    greeted(number);
    var sid = settled(number);
    twilio.callback(sid, "sent");
    twilio.callback(sid, "undelivered", 30005);
    twilio.callback(sid, "sent");
    assertThat(delivery(sid))
        .containsEntry("status", "undelivered")
        .containsEntry("error_code", "30005");
  }

  @Test
  void aReportThatBeatsTheAnswerIsJoinedLater() {
    var number = newNumber();
    var latch = new CountDownLatch(1);
    answers(number, TwilioAnswer.accept().heldAfterAccepting(latch));
    line.enrol(Map.of("phone_number", number));
    awaitTexts(number, 1);
    var sid = sentTo(number).getFirst().sid();
    assertThat(twilio.callback(sid, "delivered")).isEqualTo(200);
    assertThat(line.rows("SELECT id FROM outbox WHERE provider_id = ?", sid)).isEmpty();
    latch.countDown();
    await().until(() -> !line.rows("SELECT id FROM outbox WHERE provider_id = ?", sid).isEmpty());
    assertThat(delivery(sid)).containsEntry("status", "delivered");
  }

  @Test
  void aReportThatSaysStopOptsOut() {
    var number = newNumber();
    var robin = greeted(number);
    var sid = settled(number);
    twilio.callback(sid, "failed", 21610);
    assertThat(optedOut(robin)).isTrue();
  }

  @Test
  void aSendThatIsRefusedForAStopOptsOut() {
    var number = newNumber();
    answers(number, TwilioAnswer.fail(400, 21610));
    var robin = line.enrol(Map.of("phone_number", number)).result();
    await().until(() -> optedOut(robin));
    phone.text(number, "hello");
    // After START, Twilio accepts texts again, including the answer to it.
    answers(number, TwilioAnswer.accept());
    phone.text(number, "START");
    await().until(() -> !optedOut(robin));
  }

  @Test
  void aReportThatIsNotSignedIsRefused() {
    var number = newNumber();
    greeted(number);
    var sid = settled(number);
    var form = twilio.callbackForm(sid, "delivered").encoded();
    assertThat(
            phone
                .post(
                    TwilioPhone.STATUS_PATH,
                    form.getBytes(java.nio.charset.StandardCharsets.UTF_8),
                    "AAAA")
                .status())
        .isEqualTo(403);
    assertThat(delivery(sid)).containsEntry("status", "accepted");
  }

  @Test
  void whatTwilioPostedIsKeptForItsTimeOnly() {
    var number = newNumber();
    greeted(number);
    var text = phone.text(number, "hello");
    var posted = "SELECT content FROM raw_post WHERE provider_id = '" + text.sid() + "'";
    assertThat(line.rows(posted)).singleElement().asString().contains("Body=hello");
    line.bean(RawPosts.class).forget(Instant.now().plusSeconds(60));
    assertThat(line.rows(posted)).isEmpty();
    assertThat(inbox(text.sid()).getFirst()).containsEntry("body", "hello");
  }

  @Test
  void aBodyThatIsTooLargeIsRefused() {
    var number = newNumber();
    assertThat(phone.sms(number, "x".repeat(1_100_000)).post().status()).isEqualTo(413);
  }

  @Test
  void withoutTheDatabaseNothingIsAcknowledgedAndTheProgramStillStops() {
    try (var broken = RestLine.start(WebhookTest.class, settings(twilio))) {
      var number = newNumber();
      broken.enrol(Map.of("phone_number", number, "channel", "simulator"));
      await().until(() -> !broken.rows("SELECT id FROM outbox WHERE open = FALSE").isEmpty());
      for (var refused = 0; refused < 2; refused++) {
        assertThat(broken.sendAs("wrong", "GET", "/participants", "").status()).isEqualTo(401);
      }
      broken.closeDatabase();
      var answered = TwilioPhone.calling(broken.url(), PUBLIC_URL).text(number, "hello");
      assertThat(answered.status()).isEqualTo(503);
    }
  }
}
