package org.habitline.messaging.twilio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.twilio.exception.ApiConnectionException;
import com.twilio.exception.ApiException;
import com.twilio.http.HttpMethod;
import com.twilio.http.Request;
import com.twilio.http.Response;
import com.twilio.http.TwilioRestClient;
import com.twilio.rest.api.v2010.account.Message;
import com.twilio.rest.api.v2010.account.MessageCreator;
import com.twilio.type.PhoneNumber;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.apache.hc.core5.http.Header;
import org.habitline.SettableClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** twilio-java takes the fake for Twilio. */
final class FakeTwilioSdkTest {

  private static final Instant NOW = Instant.parse("2026-03-05T09:08:07Z");
  private static final PhoneNumber PARTICIPANT = new PhoneNumber("+15005550001");
  private static final PhoneNumber LINE = new PhoneNumber("+15005550100");

  private final SettableClock clock = SettableClock.standingAt(NOW);
  private final FakeTwilio fake = FakeTwilio.start(clock);
  private final HttpClient http = HttpClient.newHttpClient();
  private final TwilioRestClient client =
      new TwilioRestClient.Builder(FakeTwilio.ACCOUNT_SID, FakeTwilio.AUTH_TOKEN)
          .httpClient(new Redirected(fake.baseUrl(), http))
          .build();

  /** Sends each request once, and to the fake. */
  private static final class Redirected extends com.twilio.http.HttpClient {

    private final String baseUrl;
    private final HttpClient http;

    Redirected(String baseUrl, HttpClient http) {
      this.baseUrl = baseUrl;
      this.http = http;
    }

    @Override
    public Response reliableRequest(Request request) {
      return makeRequest(request);
    }

    @Override
    public Response makeRequest(Request request) {
      var url = request.constructURL().toString().replace("https://api.twilio.com", baseUrl);
      var builder =
          HttpRequest.newBuilder(URI.create(url)).header("Authorization", request.getAuthString());
      if (request.getMethod() == HttpMethod.POST) {
        builder
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(request.encodeFormBody()));
      }
      try {
        var answer = http.send(builder.build(), HttpResponse.BodyHandlers.ofString());
        return new Response(answer.body(), answer.statusCode(), new Header[0]);
      } catch (IOException e) {
        throw new ApiConnectionException("no answer", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new ApiConnectionException("interrupted", e);
      }
    }
  }

  @AfterEach
  void stop() {
    http.shutdownNow();
    fake.close();
  }

  private static MessageCreator text(String body) {
    return Message.creator(PARTICIPANT, LINE, body);
  }

  private static List<String> bodies(Iterable<Message> messages) {
    return StreamSupport.stream(messages.spliterator(), false).map(Message::getBody).toList();
  }

  private ApiException failure() {
    var thrown = catchThrowableOfType(ApiException.class, () -> text("Hello.").create(client));
    assertThat(thrown).isNotNull();
    return thrown;
  }

  @Test
  void aMessageIsCreatedAndReadBack() {
    var created =
        text("Grüße & 100 % 😀")
            .setStatusCallback("https://line.example.org/webhooks/twilio/status")
            .create(client);
    assertThat(created.getSid()).isEqualTo(fake.messages().getFirst().sid());
    assertThat(created.getStatus()).isEqualTo(Message.Status.QUEUED);
    assertThat(created.getDirection()).isEqualTo(Message.Direction.OUTBOUND_API);
    assertThat(created.getTo()).isEqualTo(PARTICIPANT.getEndpoint());
    assertThat(created.getFrom()).isEqualTo(LINE);
    assertThat(created.getDateCreated()).isEqualTo(NOW.atZone(ZoneOffset.UTC));
    assertThat(created.getDateSent()).isNull();
    assertThat(created.getErrorCode()).isNull();
    assertThat(created.getNumSegments()).isEqualTo("1");
    assertThat(created.getPriceUnit().getCurrencyCode()).isEqualTo("USD");

    fake.mark(created.getSid(), "undelivered", 30003);
    var read = Message.fetcher(created.getSid()).fetch(client);
    assertThat(read.getStatus()).isEqualTo(Message.Status.UNDELIVERED);
    assertThat(read.getErrorCode()).isEqualTo(30003);
    assertThat(read.getDateSent()).isEqualTo(NOW.atZone(ZoneOffset.UTC));
    assertThat(read.getBody()).isEqualTo("Grüße & 100 % 😀");
    assertThat(fake.violations()).isEmpty();
  }

  @Test
  void aMessagingServiceHasNoSenderYet() {
    var created =
        Message.creator(PARTICIPANT, "MG0123456789abcdef0123456789abcdef", "Hello.").create(client);
    assertThat(created.getStatus()).isEqualTo(Message.Status.ACCEPTED);
    assertThat(created.getFrom()).isNull();
    assertThat(fake.violations()).isEmpty();
  }

  @Test
  void theSdkReadsDatesOfEveryMonth() {
    for (int month : IntStream.rangeClosed(1, 12).toArray()) {
      var date = ZonedDateTime.of(2026, month, 5, 9, 8, 7, 0, ZoneOffset.UTC);
      var sid =
          fake.receive(
              FormFields.of("MessageSid", "SM" + month, "Body", "hello"), date.toInstant());
      assertThat(Message.fetcher(sid).fetch(client).getDateSent()).isEqualTo(date);
    }
  }

  @Test
  void theSdkWalksThroughThePages() {
    for (int i : IntStream.rangeClosed(1, 7).toArray()) {
      var _ = text("text " + i).create(client);
    }
    var reader = Message.reader().setTo(PARTICIPANT);
    assertThat(bodies(reader.setPageSize(3L).read(client)))
        .containsExactly("text 7", "text 6", "text 5", "text 4", "text 3", "text 2", "text 1");
    assertThat(fake.reads()).hasSize(3);
    assertThat(fake.violations()).isEmpty();
  }

  @Test
  void theSdkFiltersByTimeInAnyZone() {
    var sid = text("Hello.").create(client).getSid();
    var vienna = NOW.atZone(ZoneId.of("Europe/Vienna"));
    var reader = Message.reader().setTo(PARTICIPANT).setDateSentAfter(vienna);
    assertThat(bodies(reader.read(client))).isEmpty();
    fake.mark(sid, "sent");
    assertThat(bodies(reader.read(client))).containsExactly("Hello.");
    assertThat(bodies(reader.setDateSentAfter(vienna.plusSeconds(1)).read(client))).isEmpty();
    assertThat(bodies(Message.reader().setDateSentBefore(vienna).read(client))).hasSize(1);
    assertThat(fake.violations()).isEmpty();
  }

  @Test
  void anErrorBecomesAnExceptionWithItsCodeAndStatus() {
    fake.then(TwilioAnswer.fail(429, 20429));
    var thrown = failure();
    assertThat(thrown.getCode()).isEqualTo(20429);
    assertThat(thrown.getStatusCode()).isEqualTo(429);
    assertThat(thrown.getMoreInfo()).endsWith("/20429");
    assertThat(thrown.getHttpStatusCode()).isNull();
  }

  @Test
  void aRefusalBecomesAnExceptionToo() {
    var thrown =
        catchThrowableOfType(ApiException.class, () -> text("x".repeat(1601)).create(client));
    assertThat(thrown.getCode()).isEqualTo(21617);
    assertThat(fake.violations()).hasSize(1);
    var unknown =
        catchThrowableOfType(ApiException.class, () -> Message.fetcher("SM1").fetch(client));
    assertThat(unknown.getCode()).isEqualTo(20404);
  }

  @Test
  void anErrorThatIsNoJsonLosesItsStatusInTheSdk() {
    fake.then(TwilioAnswer.failWithoutJson(502));
    var thrown = failure();
    assertThat(thrown.getCode()).isNull();
    assertThat(thrown.getStatusCode()).isNull();
  }

  @Test
  void anAcceptedMessageWithAnUnreadableAnswerLooksTheSameInTheSdk() {
    fake.then(TwilioAnswer.accept().withoutJson());
    var thrown = failure();
    assertThat(thrown.getCode()).isNull();
    assertThat(thrown.getStatusCode()).isNull();
    assertThat(fake.messages()).hasSize(1);
  }

  @Test
  void everyRequestIsSentOnce() {
    fake.then(TwilioAnswer.acceptThenStatus(503));
    assertThat(failure().getCode()).isEqualTo(20503);
    assertThat(fake.posts()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "", "  "})
  void aBodyThatTheSdkDropsOrThatSaysNothingIsRefused(String body) {
    var thrown = catchThrowableOfType(ApiException.class, () -> text(body).create(client));
    assertThat(thrown.getCode()).isEqualTo(21602);
  }

  @Test
  void twoPageSizesOfTheSdkAreAViolation() {
    var all = new ArrayList<Message>();
    Message.reader().setPageSize(3L).limit(5).read(client).forEach(all::add);
    assertThat(all).isEmpty();
    assertThat(fake.violations()).singleElement().asString().contains("PageSize");
  }
}
