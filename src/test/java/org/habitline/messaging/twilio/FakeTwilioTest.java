package org.habitline.messaging.twilio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.twilio.security.RequestValidator;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.habitline.SettableClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The fake is asked by hand, so that what it refuses is not what our own client never sends. */
final class FakeTwilioTest {

  private static final JsonMapper JSON = new JsonMapper();
  private static final Instant NOW = Instant.parse("2026-03-05T09:08:07.654Z");
  private static final String PARTICIPANT = "+15005550001";
  private static final String LINE = "+15005550100";
  private static final String SERVICE = "MG0123456789abcdef0123456789abcdef";

  private final SettableClock clock = SettableClock.standingAt(NOW);
  private final FakeTwilio fake = FakeTwilio.start(clock);
  private final ListeningLine line = new ListeningLine();
  private final HttpClient http = HttpClient.newHttpClient();

  @AfterEach
  void stop() {
    http.shutdownNow();
    line.close();
    fake.close();
  }

  private static String path() {
    return "/2010-04-01/Accounts/" + FakeTwilio.ACCOUNT_SID + "/Messages.json";
  }

  private static String basic(String user, String password) {
    var pair = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
    return "Basic " + Base64.getEncoder().encodeToString(pair);
  }

  private HttpRequest.Builder to(String pathAndQuery) {
    return HttpRequest.newBuilder(URI.create(fake.baseUrl() + pathAndQuery))
        .header("Authorization", basic(FakeTwilio.ACCOUNT_SID, FakeTwilio.AUTH_TOKEN));
  }

  private HttpRequest posting(FormFields form) {
    return to(path())
        .header("Content-Type", "application/x-www-form-urlencoded")
        .POST(HttpRequest.BodyPublishers.ofString(form.encoded()))
        .build();
  }

  private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
    return http.send(request, HttpResponse.BodyHandlers.ofString());
  }

  private CompletableFuture<HttpResponse<String>> later(HttpRequest request) {
    return http.sendAsync(request, HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> post(FormFields form) throws IOException, InterruptedException {
    return send(posting(form));
  }

  private JsonNode get(String pathAndQuery) throws IOException, InterruptedException {
    return JSON.readTree(send(to(pathAndQuery).build()).body());
  }

  private JsonNode list(String... query) throws IOException, InterruptedException {
    return get(path() + "?" + FormFields.of(query).encoded());
  }

  private static List<String> bodies(JsonNode page) {
    return StreamSupport.stream(page.path("messages").spliterator(), false)
        .map(message -> message.path("body").asText())
        .toList();
  }

  private static FormFields sms(String body) {
    return FormFields.of("To", PARTICIPANT, "From", LINE, "Body", body);
  }

  private static FormFields whatsApp(String body) {
    return FormFields.of("To", "whatsapp:" + PARTICIPANT, "From", "whatsapp:" + LINE, "Body", body);
  }

  private String accepted(FormFields form) throws IOException, InterruptedException {
    var answer = post(form);
    assertThat(answer.statusCode()).isEqualTo(201);
    return JSON.readTree(answer.body()).path("sid").asText();
  }

  private FormFields withCallback(FormFields form) {
    return form.with("StatusCallback", line.url() + "/webhooks/twilio/status?line=1");
  }

  private void refused(HttpResponse<String> answer, int status, int code) throws IOException {
    var error = JSON.readTree(answer.body());
    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(error.path("code").asInt()).isEqualTo(code);
    assertThat(error.path("status").asInt()).isEqualTo(status);
    assertThat(error.path("message").asText()).isNotBlank();
    assertThat(error.path("more_info").asText()).endsWith("/errors/" + code);
    assertThat(fake.violations()).singleElement().asString().startsWith(code + " ");
    assertThat(fake.messages()).isEmpty();
  }

  // What is taken

  @Test
  void aMessageWithinTheRulesIsAcceptedAndRemembered() throws Exception {
    var callback = "https://line.example.org/webhooks/twilio/status";
    var sid = accepted(sms("Grüße & 100 %").with("StatusCallback", callback));

    var message = fake.messages().getFirst();
    assertThat(fake.messages()).hasSize(1);
    assertThat(message.sid()).isEqualTo(sid).matches("SM[0-9a-f]{32}");
    assertThat(message.to()).isEqualTo(PARTICIPANT);
    assertThat(message.from()).isEqualTo(LINE);
    assertThat(message.body()).isEqualTo("Grüße & 100 %");
    assertThat(message.statusCallback()).isEqualTo(callback);
    assertThat(message.createdAt()).isEqualTo(NOW);
    assertThat(fake.posts()).singleElement().extracting("body").isEqualTo("Grüße & 100 %");
    assertThat(fake.violations()).isEmpty();
  }

  @Test
  void theAnswerIsAMessageAsTwilioWritesIt() throws Exception {
    var answer = post(sms("Hello."));
    var message = JSON.readTree(answer.body());
    var sid = message.path("sid").asText();
    var uri = "/2010-04-01/Accounts/" + FakeTwilio.ACCOUNT_SID + "/Messages/" + sid;

    assertThat(answer.headers().firstValue("Content-Type").orElseThrow())
        .startsWith("application/json");
    assertThat(message)
        .isEqualTo(
            JSON.readTree(
                """
                {"body":"Hello.","num_segments":"1","direction":"outbound-api",
                 "from":"%s","to":"%s","date_updated":"Thu, 05 Mar 2026 09:08:07 +0000",
                 "date_created":"Thu, 05 Mar 2026 09:08:07 +0000","date_sent":null,
                 "price":null,"price_unit":"USD","error_message":null,"error_code":null,
                 "uri":"%s.json","account_sid":"%s","num_media":"0","status":"queued",
                 "sid":"%s","messaging_service_sid":null,"api_version":"2010-04-01",
                 "subresource_uris":{"media":"%s/Media.json"}}
                """
                    .formatted(LINE, PARTICIPANT, uri, FakeTwilio.ACCOUNT_SID, sid, uri)));
  }

  @Test
  void aMessagingServiceAcceptsBeforeItChoosesASender() throws Exception {
    var form = FormFields.of("To", PARTICIPANT, "MessagingServiceSid", SERVICE, "Body", "Hello.");
    var sid = accepted(form);
    var message = list().path("messages").path(0);
    assertThat(message.path("status").asText()).isEqualTo("accepted");
    assertThat(message.path("from").isNull()).isTrue();
    assertThat(message.path("num_segments").asText()).isEqualTo("0");
    assertThat(message.path("messaging_service_sid").asText()).isEqualTo(SERVICE);

    fake.mark(sid, "sent");
    assertThat(fake.message(sid).from()).isEqualTo(TwilioMessage.CHOSEN_SENDER);
  }

  @ParameterizedTest
  @CsvSource({
    "To=%2B15005550001&From=%2B15005550100&ContentSid=HX01&ContentVariables=%7B%7D",
    "To=%2B15005550001&From=%2B15005550100&MediaUrl=https://a.example/1&MediaUrl=https://a.example/2",
    "To=%2B15005550001&From=12345&Body=short+code",
    "To=%2B15005550001&From=Habitline&Body=a+name",
    "To=whatsapp:%2B15005550001&From=whatsapp:%2B15005550100&Body=whatsapp",
    "To=%2B15005550001&From=%2B15005550100&Body=x&StatusCallback=http://127.0.0.1:8080/status",
  })
  void whatTwilioTakesIsTaken(String form) throws Exception {
    assertThat(accepted(FormFields.parse(form))).startsWith("SM");
    assertThat(fake.violations()).isEmpty();
  }

  @Test
  void theLongestBodyHas1600Characters() throws Exception {
    assertThat(accepted(sms("x".repeat(1600)))).startsWith("SM");
    assertThat(fake.violations()).isEmpty();
    fake.forget();
    refused(post(sms("x".repeat(1601))), 400, 21617);
  }

  @ParameterizedTest
  @CsvSource({
    "x, 160, 1",
    "x, 161, 2",
    "x, 306, 2",
    "x, 307, 3",
    "€, 80, 1",
    "€, 81, 2",
    "€, 76, 1",
    "€, 152, 2",
    "€, 153, 3",
    "’, 70, 1",
    "’, 71, 2",
    "’, 134, 2",
    "’, 135, 3",
    "😀, 35, 1",
    "😀, 66, 2",
    "😀, 67, 3",
  })
  void segmentsAreCountedAsCarriersCountThem(String character, int times, String segments)
      throws Exception {
    var message = JSON.readTree(post(sms(character.repeat(times))).body());
    assertThat(message.path("num_segments").asText()).isEqualTo(segments);
  }

  // What is refused

  @ParameterizedTest
  @CsvSource({
    "21604, From=%2B15005550100&Body=no+recipient",
    "21604, To=&From=%2B15005550100&Body=blank+recipient",
    "21211, To=15005550001&From=%2B15005550100&Body=no+plus",
    "21211, To=+15005550001&From=%2B15005550100&Body=a+plus+that+was+not+encoded",
    "21211, To=%2B1+500+555+0001&From=%2B15005550100&Body=blanks",
    "21211, To=sms:%2B15005550001&From=%2B15005550100&Body=another+channel",
    "21211, To=whatsapp:15005550001&From=whatsapp:%2B15005550100&Body=no+plus",
    "21603, To=%2B15005550001&Body=no+sender",
    "21603, To=%2B15005550001&From=%2B15005550100&MessagingServiceSid=MG0123456789abcdef0123456789abcdef&Body=two",
    "21701, To=%2B15005550001&MessagingServiceSid=MG01&Body=no+such+service",
    "21212, To=%2B15005550001&From=nobody%40example.org&Body=no+number",
    "21910, To=whatsapp:%2B15005550001&From=%2B15005550100&Body=mixed",
    "21910, To=%2B15005550001&From=whatsapp:%2B15005550100&Body=mixed",
    "21266, To=%2B15005550001&From=%2B15005550001&Body=to+itself",
    "21602, To=%2B15005550001&From=%2B15005550100",
    "21602, To=%2B15005550001&From=%2B15005550100&Body=",
    "21602, To=%2B15005550001&From=%2B15005550100&Body=++%0A",
    "21609, To=%2B15005550001&From=%2B15005550100&Body=x&StatusCallback=/status",
    "21609, To=%2B15005550001&From=%2B15005550100&Body=x&StatusCallback=ftp://a.example/status",
    "21609, To=%2B15005550001&From=%2B15005550100&Body=x&StatusCallback=https:///status",
    "21609, To=%2B15005550001&From=%2B15005550100&Body=x&StatusCallback=",
  })
  void aMessageThatTwilioRefusesIsRefused(int code, String form) throws Exception {
    refused(post(FormFields.parse(form)), 400, code);
    assertThat(fake.posts()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Bearer x", "Basic x"})
  void nobodyIsServedWithoutCredentials(String authorization) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(fake.baseUrl() + path()))
            .header("Authorization", authorization)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(sms("Hello.").encoded()))
            .build();
    var answer = send(request);
    assertThat(answer.headers().firstValue("WWW-Authenticate")).isPresent();
    refused(answer, 401, 20003);
  }

  @Test
  void theWrongTokenIsRefused() throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(fake.baseUrl() + path()))
            .header("Authorization", basic(FakeTwilio.ACCOUNT_SID, "wrong"))
            .build();
    refused(send(request), 401, 20003);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/2010-04-01/Accounts/ACffffffffffffffffffffffffffffffff/Messages.json",
        "/2010-04-01/Accounts/AC0123456789abcdef0123456789abcdef/Messages",
        "/2010-04-01/Accounts/AC0123456789abcdef0123456789abcdef/SMS/Messages.json",
        "/Messages.json",
      })
  void anotherPathIsNotFound(String path) throws Exception {
    refused(send(to(path).build()), 404, 20404);
  }

  @Test
  void whatTwilioPassesOverInSilenceIsAViolation() throws Exception {
    assertThat(accepted(sms("Hello.").and("StatusCallBack", "https://a.example/"))).isNotEmpty();
    assertThat(accepted(sms("Hello.").and("Body", "twice"))).isNotEmpty();
    assertThat(fake.violations())
        .containsExactly(
            "Twilio does not know the parameter StatusCallBack.",
            "The parameter Body is there twice.");
  }

  @Test
  void aBodyThatIsNoFormIsReadAsAnEmptyOne() throws Exception {
    var request =
        to(path())
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString("{\"To\":\"+15005550001\"}"))
            .build();
    var answer = send(request);
    assertThat(JSON.readTree(answer.body()).path("code").asInt()).isEqualTo(21604);
    assertThat(fake.violations()).hasSize(2);
  }

  @Test
  void aRefusedPostUsesNoScriptedAnswerUp() throws Exception {
    fake.then(TwilioAnswer.fail(429, 20429));
    refused(post(sms("")), 400, 21602);
    assertThat(post(sms("Hello.")).statusCode()).isEqualTo(429);
    assertThat(accepted(sms("Hello."))).isNotEmpty();
  }

  // What is scripted

  @Test
  void aScriptedFailureSpeaksAsTwilioDoesAndIsNoViolation() throws Exception {
    fake.then(TwilioAnswer.fail(400, 21610));
    var answer = post(sms("Hello."));
    var error = JSON.readTree(answer.body());
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(error.path("code").asInt()).isEqualTo(21610);
    assertThat(error.path("status").asInt()).isEqualTo(400);
    assertThat(error.path("more_info").asText()).endsWith("/21610");
    assertThat(fake.messages()).isEmpty();
    assertThat(fake.violations()).isEmpty();
  }

  @Test
  void aFailureMayBeAPageOfAProxy() throws Exception {
    fake.then(TwilioAnswer.failWithoutJson(502));
    var answer = post(sms("Hello."));
    assertThat(answer.statusCode()).isEqualTo(502);
    assertThat(answer.headers().firstValue("Content-Type")).contains("text/html");
    assertThat(answer.body()).startsWith("<html>");
    assertThat(fake.messages()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {500, 503, 504})
  void aMessageMayBeAcceptedThoughTheAnswerIsAFailure(int status) throws Exception {
    fake.then(TwilioAnswer.acceptThenStatus(status));
    var answer = post(sms("Hello."));
    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(JSON.readTree(answer.body()).path("code").asInt()).isEqualTo(20_000 + status);
    assertThat(fake.messages()).hasSize(1);
  }

  @Test
  void aMessageMayBeAcceptedThoughTheAnswerCannotBeRead() throws Exception {
    fake.then(TwilioAnswer.accept().withoutJson());
    var answer = post(sms("Hello."));
    assertThat(answer.statusCode()).isEqualTo(201);
    assertThat(answer.body()).startsWith("<html>");
    assertThat(fake.messages()).hasSize(1);
  }

  @Test
  void theConnectionMayCloseAfterOrBeforeAccepting() {
    fake.then(TwilioAnswer.acceptThenReset(), TwilioAnswer.resetWithoutAccepting());
    assertThatThrownBy(() -> post(sms("Hello."))).isInstanceOf(IOException.class);
    assertThat(fake.messages()).hasSize(1);
    assertThatThrownBy(() -> post(sms("Hello again."))).isInstanceOf(IOException.class);
    assertThat(fake.messages()).hasSize(1);
    assertThat(fake.posts()).hasSize(2);
  }

  @Test
  void anAcceptedMessageIsToldLateOnRelease() {
    fake.then(TwilioAnswer.acceptThenHang());
    var answer = later(posting(sms("Hello.")));
    await().until(() -> fake.messages().size() == 1);
    assertThat(answer).isNotDone();
    assertThat(fake.pending()).isEqualTo(1);
    fake.release();
    await().until(answer::isDone);
    assertThat(answer.join().statusCode()).isEqualTo(201);
    await().until(() -> fake.pending() == 0);
  }

  @Test
  void whatHangsWithoutBeingAcceptedIsClosedOnRelease() {
    fake.then(TwilioAnswer.hangWithoutAccepting());
    var answer = later(posting(sms("Hello.")));
    await().until(() -> fake.posts().size() == 1);
    assertThat(answer).isNotDone();
    fake.release();
    await().until(answer::isDone);
    assertThat(answer).isCompletedExceptionally();
    assertThat(fake.messages()).isEmpty();
  }

  @Test
  void closingTheFakeEndsWhatHangs() {
    fake.then(TwilioAnswer.acceptThenHang(), TwilioAnswer.hangWithoutAccepting());
    var first = later(posting(sms("Hello.")));
    var second = later(posting(sms("Hello again.")));
    await().until(() -> fake.posts().size() == 2);
    fake.close();
    await().until(() -> first.isDone() && second.isDone());
    assertThat(first).isCompletedExceptionally();
    assertThat(second).isCompletedExceptionally();
  }

  @Test
  void aTestCanHoldAPostBeforeItIsAccepted() {
    var latch = new CountDownLatch(1);
    fake.then(TwilioAnswer.accept().heldBeforeAccepting(latch));
    var answer = later(posting(sms("Hello.")));
    await().until(() -> fake.posts().size() == 1);
    assertThat(fake.messages()).isEmpty();
    latch.countDown();
    await().until(answer::isDone);
    assertThat(fake.messages()).hasSize(1);
  }

  @Test
  void aTestCanHoldAnAnswerAfterItsMessageIsAccepted() {
    var latch = new CountDownLatch(1);
    fake.then(TwilioAnswer.accept().heldAfterAccepting(latch));
    var answer = later(posting(sms("Hello.")));
    await().until(() -> fake.messages().size() == 1);
    assertThat(answer).isNotDone();
    latch.countDown();
    await().until(answer::isDone);
    assertThat(answer.join().statusCode()).isEqualTo(201);
  }

  @Test
  void theQueueComesFirstAndThenAFunctionOfThePost() throws Exception {
    fake.then(TwilioAnswer.fail(503, 20503));
    fake.otherwise(posted ->
        posted.body().contains("please") ? TwilioAnswer.accept() : TwilioAnswer.fail(400, 30007));
    assertThat(post(sms("please")).statusCode()).isEqualTo(503);
    assertThat(post(sms("please")).statusCode()).isEqualTo(201);
    assertThat(post(sms("now")).statusCode()).isEqualTo(400);
  }

  // The list

  @Test
  void theListIsNewestFirstAndInBothDirections() throws Exception {
    var first = accepted(sms("first"));
    clock.advance(Duration.ofSeconds(1));
    var inbound = fake.receive(PARTICIPANT, LINE, "second");
    var third = accepted(sms("third"));
    var old = FormFields.of("MessageSid", "SM" + "0".repeat(32), "Body", "old");
    var _ = fake.receive(old, NOW.minusSeconds(60));

    var page = list();
    assertThat(bodies(page)).containsExactly("third", "second", "first", "old");
    assertThat(page.path("messages").path(1).path("direction").asText()).isEqualTo("inbound");
    assertThat(page.path("messages").path(1).path("status").asText()).isEqualTo("received");
    assertThat(page.path("next_page_uri").isNull()).isTrue();
    assertThat(page.path("page_size").asInt()).isEqualTo(50);
    assertThat(fake.messages()).extracting(TwilioMessage::sid).containsExactly(first, third);
    assertThat(fake.message(inbound).inbound()).isTrue();
    assertThat(fake.reads()).containsExactly(path());
  }

  @Test
  void theListIsFilteredByBothEnds() throws Exception {
    var _ = accepted(sms("to one"));
    var _ = accepted(sms("to another").with("To", "+15005550002"));
    var _ = accepted(whatsApp("by whatsapp"));
    var _ = fake.receive(PARTICIPANT, LINE, "from one");

    assertThat(bodies(list("To", PARTICIPANT))).containsExactly("to one");
    assertThat(bodies(list("From", LINE))).containsExactly("to another", "to one");
    assertThat(bodies(list("From", PARTICIPANT, "To", LINE))).containsExactly("from one");
    assertThat(bodies(list("To", "whatsapp:" + PARTICIPANT))).containsExactly("by whatsapp");
    assertThat(fake.violations()).isEmpty();
  }

  @Test
  void aPlusThatIsNotEncodedFindsNothing() throws Exception {
    var _ = accepted(sms("Hello."));
    assertThat(bodies(get(path() + "?To=" + PARTICIPANT))).isEmpty();
  }

  @Test
  void aFilterByDateLeavesOutWhatHasNotBeenSentYet() throws Exception {
    var sid = accepted(sms("Hello."));
    assertThat(bodies(list("To", PARTICIPANT))).containsExactly("Hello.");
    assertThat(bodies(list("To", PARTICIPANT, "DateSent>", "2026-01-01"))).isEmpty();
    fake.mark(sid, "sent");
    assertThat(bodies(list("To", PARTICIPANT, "DateSent>", "2026-01-01")))
        .containsExactly("Hello.");
  }

  @ParameterizedTest
  @CsvSource({
    "DateSent=, 2026-03-05, true",
    "DateSent=, 2026-03-04, false",
    "DateSent=, 2026-03-05T09:08:07, true",
    "DateSent=, 2026-03-05T09:08:06, false",
    "DateSent>=, 2026-03-05, true",
    "DateSent>=, 2026-03-06, false",
    "DateSent>=, 2026-03-05T09:08:07, true",
    "DateSent>=, 2026-03-05T09:08:07Z, true",
    "DateSent>=, 2026-03-05T09:08:08Z, false",
    "DateSent<=, 2026-03-05, true",
    "DateSent<=, 2026-03-04, false",
    "DateSent<=, 2026-03-05T09:08:07Z, true",
    "DateSent<=, 2026-03-05T09:08:06Z, false",
  })
  void datesAreComparedInclusivelyAndInGmt(String comparison, String date, boolean found)
      throws Exception {
    var _ = fake.receive(PARTICIPANT, LINE, "sent at 09:08:07");
    var name = comparison.substring(0, comparison.length() - 1);
    assertThat(bodies(list(name, date))).hasSize(found ? 1 : 0);
  }

  @Test
  void pagesFollowEachOtherWhateverComesInMeanwhile() throws Exception {
    for (int i : IntStream.rangeClosed(1, 5).toArray()) {
      var _ = accepted(sms("text " + i));
    }
    var first = list("To", PARTICIPANT, "PageSize", "2");
    assertThat(bodies(first)).containsExactly("text 5", "text 4");
    var _ = accepted(sms("text 6"));

    var second = get(first.path("next_page_uri").asText());
    assertThat(bodies(second)).containsExactly("text 3", "text 2");
    assertThat(second.path("page").asInt()).isEqualTo(1);
    assertThat(second.path("start").asInt()).isEqualTo(2);
    assertThat(second.path("end").asInt()).isEqualTo(3);

    var third = get(second.path("next_page_uri").asText());
    assertThat(bodies(third)).containsExactly("text 1");
    assertThat(third.path("next_page_uri").isNull()).isTrue();
    assertThat(bodies(get(third.path("first_page_uri").asText())))
        .containsExactly("text 6", "text 5");
    assertThat(fake.violations()).isEmpty();
  }

  @Test
  void aPageHasFiftyMessagesUnlessAskedAndNeverMoreThanAThousand() throws Exception {
    for (int i : IntStream.rangeClosed(1, 1001).toArray()) {
      var _ = fake.receive(PARTICIPANT, LINE, "text " + i);
    }
    assertThat(bodies(list())).hasSize(50);
    assertThat(bodies(list("PageSize", "1000"))).hasSize(1000);
    assertThat(fake.violations()).isEmpty();
    assertThat(bodies(list("PageSize", "2000"))).hasSize(1000);
    assertThat(fake.violations()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "20001, DateSent=yesterday",
    "20001, DateSent%3E=2026-03-05T09:08:07%2B01:00",
    "20001, DateSent%3C=05.03.2026",
    "20001, PageSize=0",
    "20001, PageSize=many",
    "20001, Page=-1",
    "70002, Page=1",
  })
  void aListThatTwilioRefusesIsRefused(int code, String query) throws Exception {
    refused(send(to(path() + "?" + query).build()), 400, code);
  }

  @Test
  void aFilterThatTwilioDoesNotKnowIsAViolation() throws Exception {
    var _ = accepted(sms("Hello."));
    assertThat(bodies(list("Status", "sent"))).hasSize(1);
    assertThat(bodies(list("PageSize", "5", "PageSize", "6"))).hasSize(1);
    assertThat(fake.violations()).hasSize(2);
  }

  @Test
  void oneMessageIsReadByItsSid() throws Exception {
    var sid = accepted(sms("Hello."));
    fake.mark(sid, "undelivered", 30005);
    var message = get(path().replace(".json", "/" + sid + ".json"));
    assertThat(message.path("sid").asText()).isEqualTo(sid);
    assertThat(message.path("status").asText()).isEqualTo("undelivered");
    assertThat(message.path("error_code").asInt()).isEqualTo(30005);
    assertThat(message.path("date_sent").asText()).isEqualTo("Thu, 05 Mar 2026 09:08:07 +0000");
  }

  @Test
  void anUnknownSidIsNotFoundAndNoViolation() throws Exception {
    var answer = send(to(path().replace(".json", "/SM" + "0".repeat(32) + ".json")).build());
    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(JSON.readTree(answer.body()).path("code").asInt()).isEqualTo(20404);
    assertThat(fake.violations()).isEmpty();
  }

  @Test
  void readsMayFailToo() throws Exception {
    fake.thenRead(TwilioAnswer.fail(503, 20503));
    assertThat(list().path("code").asInt()).isEqualTo(20503);
    assertThat(bodies(list())).isEmpty();
  }

  // Callbacks

  @Test
  void aCallbackIsSignedAndAnsweredByTheLine() throws Exception {
    var sid = accepted(withCallback(sms("Hello.")));
    line.answer(204);
    assertThat(fake.callback(sid, "sent")).isEqualTo(204);

    var call = line.onlyCall();
    assertThat(call.pathAndQuery()).isEqualTo("/webhooks/twilio/status?line=1");
    assertThat(call.contentType()).startsWith("application/x-www-form-urlencoded");
    assertThat(call.form())
        .isEqualTo(
            FormFields.of("SmsSid", sid, "SmsStatus", "sent", "MessageStatus", "sent")
                .and("To", PARTICIPANT)
                .and("MessageSid", sid)
                .and("AccountSid", FakeTwilio.ACCOUNT_SID)
                .and("From", LINE)
                .and("ApiVersion", "2010-04-01"));
    var params = new TreeMap<String, String>();
    call.form().fields().forEach(field -> params.put(field.name(), field.value()));
    var url = line.url() + call.pathAndQuery();
    assertThat(new RequestValidator(FakeTwilio.AUTH_TOKEN).validate(url, params, call.signature()))
        .isTrue();
  }

  @Test
  void aCallbackMayComeBeforeTheAnswerToThePost() {
    fake.then(TwilioAnswer.acceptThenHang());
    var answer = later(posting(withCallback(sms("Hello."))));
    await().until(() -> fake.messages().size() == 1);
    var sid = fake.messages().getFirst().sid();
    assertThat(fake.callback(sid, "delivered")).isEqualTo(200);
    assertThat(answer).isNotDone();
    assertThat(line.onlyCall().form().text("MessageSid")).isEqualTo(sid);
  }

  @Test
  void callbacksMayComeTwiceAndOutOfOrderWhileTheMessageNeverGoesBack() throws Exception {
    var sid = accepted(withCallback(sms("Hello.")));
    assertThat(fake.callback(sid, "delivered")).isEqualTo(200);
    assertThat(fake.callback(sid, "sent")).isEqualTo(200);
    assertThat(fake.callback(sid, "delivered")).isEqualTo(200);
    assertThat(line.calls())
        .extracting(call -> call.form().text("MessageStatus"))
        .containsExactly("delivered", "sent", "delivered");
    assertThat(fake.message(sid).status()).isEqualTo("delivered");
  }

  @Test
  void aFailureSaysItsCodeAndACarriersReceiptItsDate() throws Exception {
    var sid = accepted(withCallback(sms("Hello.")));
    assertThat(fake.callback(sid, "undelivered", 30003)).isEqualTo(200);
    assertThat(line.onlyCall().form().text("ErrorCode")).isEqualTo("30003");
    assertThat(line.onlyCall().form().text("RawDlrDoneDate")).isEqualTo("2603050908");
    assertThat(fake.message(sid).errorCode()).isEqualTo(30003);
  }

  @Test
  void aCallbackByWhatsAppNamesTheChannel() throws Exception {
    var sid = accepted(withCallback(whatsApp("Hello.")));
    assertThat(fake.callback(sid, "read")).isEqualTo(200);
    var form = line.onlyCall().form();
    assertThat(form.text("ChannelPrefix")).isEqualTo("whatsapp");
    assertThat(form.text("To")).isEqualTo("whatsapp:" + PARTICIPANT);
    assertThat(form.first("RawDlrDoneDate")).isEmpty();
  }

  @Test
  void aCallbackIsSignedForThePublicUrlThoughItTakesAnotherWay() throws Exception {
    fake.reaching("https://line.example.org", line.url());
    var url = "https://line.example.org/webhooks/twilio/status";
    var sid = accepted(sms("Hello.").with("StatusCallback", url));
    assertThat(fake.callback(sid, "sent")).isEqualTo(200);
    var call = line.onlyCall();
    assertThat(call.pathAndQuery()).isEqualTo("/webhooks/twilio/status");
    assertThat(call.signature())
        .isEqualTo(TwilioSigner.sign(FakeTwilio.AUTH_TOKEN, url, call.form()));
  }

  @Test
  void nobodyIsCalledWhoDidNotAsk() throws Exception {
    var sid = accepted(sms("Hello."));
    assertThatThrownBy(() -> fake.callback(sid, "sent")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> fake.callback("SM1", "sent"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
