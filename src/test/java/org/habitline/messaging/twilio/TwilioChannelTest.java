package org.habitline.messaging.twilio;

import static org.assertj.core.api.Assertions.assertThat;

import com.twilio.http.TwilioRestClient;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.habitline.SettableClock;
import org.habitline.messaging.Attempt;
import org.habitline.messaging.Delivery;
import org.habitline.messaging.LookUp;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.OutboundMessage;
import org.habitline.messaging.twilio.TwilioChannel.Sender;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.PhoneNumber;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One text by the real SDK to a server that holds it to Twilio's rules. */
final class TwilioChannelTest {

  private static final PhoneNumber ROBIN = new PhoneNumber("+12065550123");
  private static final Duration SETTLES = Duration.ofSeconds(30);
  private static final URI CALLBACK = URI.create("https://line.example/webhooks/twilio/status");

  private final SettableClock clock =
      SettableClock.standingAt(Instant.parse("2026-11-21T07:15:00Z"));
  private final FakeTwilio twilio = FakeTwilio.start(clock);
  private final TwilioHealth health = new TwilioHealth();
  private final TwilioChannel sms =
      channel(
          ChannelKind.SMS,
          new Sender(
              "", Optional.of(TwilioPhone.LINE_NUMBER), Optional.empty(), Optional.of(CALLBACK)));

  @AfterEach
  void close() {
    twilio.close();
  }

  private TwilioChannel channel(ChannelKind kind, Sender sender) {
    return channel(kind, sender, twilio.baseUrl());
  }

  private TwilioChannel channel(ChannelKind kind, Sender sender, String baseUrl) {
    var client =
        new TwilioRestClient.Builder(FakeTwilio.ACCOUNT_SID, FakeTwilio.AUTH_TOKEN)
            .httpClient(new OneRequest(Duration.ofSeconds(2), Duration.ofMillis(600), baseUrl))
            .build();
    return new TwilioChannel(kind, sender, client, health, SETTLES, clock);
  }

  private static OutboundMessage message(ChannelKind kind, String body) {
    return new OutboundMessage(
        "dlv_1", "conv_1", null, OutboundKind.REPLY, ROBIN, null, kind, body);
  }

  private Delivery send(String body) {
    return sms.send(message(ChannelKind.SMS, body));
  }

  private LookUp lookUp(String body, String... otherIds) {
    return sms.lookUp(
        message(ChannelKind.SMS, body), new Attempt(clock.instant(), Set.of(otherIds)));
  }

  @Test
  void aTextGoesOutOnceWithItsSenderAndTheAddressForReports() {
    assertThat(send("One minute 😀 & more?"))
        .isEqualTo(new Delivery.Accepted(twilio.messages().getFirst().sid()));
    var sent = twilio.messages().getFirst();
    assertThat(sent.to()).isEqualTo(ROBIN.e164());
    assertThat(sent.from()).isEqualTo(TwilioPhone.LINE_NUMBER);
    assertThat(sent.body()).isEqualTo("One minute 😀 & more?");
    assertThat(sent.statusCallback()).isEqualTo(CALLBACK.toString());
    assertThat(twilio.posts()).hasSize(1);
    assertThat(twilio.violations()).isEmpty();
  }

  @Test
  void aMessagingServiceSendsInsteadOfANumber() {
    var service =
        channel(
            ChannelKind.SMS,
            new Sender("", Optional.empty(), Optional.of("MG" + "0".repeat(32)), Optional.empty()));
    assertThat(service.send(message(ChannelKind.SMS, "hello")))
        .isInstanceOf(Delivery.Accepted.class);
    assertThat(twilio.messages().getFirst().messagingServiceSid()).isEqualTo("MG" + "0".repeat(32));
    assertThat(twilio.violations()).isEmpty();
  }

  @Test
  void whatsAppIsAddressedAsWhatsApp() {
    var whatsapp =
        channel(
            ChannelKind.WHATSAPP,
            new Sender(
                "whatsapp:",
                Optional.of(TwilioPhone.LINE_NUMBER),
                Optional.empty(),
                Optional.empty()));
    assertThat(whatsapp.send(message(ChannelKind.WHATSAPP, "hello")))
        .isInstanceOf(Delivery.Accepted.class);
    assertThat(twilio.messages().getFirst().to()).isEqualTo("whatsapp:" + ROBIN.e164());
    assertThat(twilio.messages().getFirst().from())
        .isEqualTo("whatsapp:" + TwilioPhone.LINE_NUMBER);
    assertThat(twilio.violations()).isEmpty();
  }

  @Test
  void theWordNullIsAText() {
    assertThat(send("null")).isInstanceOf(Delivery.Accepted.class);
    assertThat(twilio.messages().getFirst().body().strip()).isEqualTo("null");
    assertThat(twilio.violations()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "429, 20429, Deferred",
    "400, 21611, Deferred",
    "400, 30001, Deferred",
    "400, 63018, Deferred",
    "400, 21211, Refused",
    "400, 21614, Refused",
    "400, 30006, Refused",
    "400, 63024, Refused",
    "400, 30007, Refused",
    "400, 12345, Refused",
    "400, 63016, Refused",
    "400, 30003, Refused",
    "400, 21610, OptedOut",
    "400, 63014, OptedOut",
    "401, 20003, Misconfigured",
    "400, 30034, Misconfigured",
    "400, 21606, Misconfigured",
    "400, 21408, Misconfigured",
    "400, 63007, Misconfigured",
    "404, 20404, Misconfigured",
    "500, 20500, Unknown",
    "503, 20503, Unknown",
    "408, 20009, Unknown"
  })
  void aCodeOfTwilioMeansWhatItMeans(int status, int code, String outcome) {
    twilio.then(TwilioAnswer.fail(status, code));
    assertThat(send("hello").getClass().getSimpleName()).isEqualTo(outcome);
    assertThat(twilio.posts()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "400, Refused",
    "401, Misconfigured",
    "404, Refused",
    "429, Deferred",
    "500, Unknown",
    "502, Unknown",
    "503, Unknown",
    "504, Unknown"
  })
  void withoutACodeTheStatusDecides(int status, String outcome) {
    twilio.then(TwilioAnswer.failWithoutJson(status));
    assertThat(send("hello").getClass().getSimpleName()).isEqualTo(outcome);
    assertThat(twilio.posts()).as("one request, whatever the answer").hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"hang", "500", "503", "reset"})
  void aTextThatWasTakenWithoutAnAnswerIsFoundInTheList(String how) {
    twilio.then(
        switch (how) {
          case "hang" -> TwilioAnswer.acceptThenHang();
          case "reset" -> TwilioAnswer.acceptThenReset();
          default -> TwilioAnswer.acceptThenStatus(Integer.parseInt(how));
        });
    assertThat(send("hello")).isInstanceOf(Delivery.Unknown.class);
    assertThat(lookUp("hello")).isEqualTo(new LookUp.Sent(twilio.messages().getFirst().sid()));
    assertThat(twilio.posts()).hasSize(1);
    assertThat(twilio.violations()).isEmpty();
  }

  @Test
  void aTextThatIsNotInTheListWasNotSentOnceTheListHasSettled() {
    twilio.then(TwilioAnswer.hangWithoutAccepting());
    assertThat(send("hello")).isInstanceOf(Delivery.Unknown.class);
    var attempt = new Attempt(clock.instant(), Set.of());
    var message = message(ChannelKind.SMS, "hello");
    clock.advance(SETTLES.minusSeconds(1));
    assertThat(sms.lookUp(message, attempt)).isInstanceOf(LookUp.CannotTell.class);
    clock.advance(Duration.ofSeconds(1));
    assertThat(sms.lookUp(message, attempt)).isEqualTo(new LookUp.NotSent());
  }

  @Test
  void theSameWordsSentBeforeAreAnotherText() {
    send("Noted.");
    var before = twilio.messages().getFirst().sid();
    twilio.then(TwilioAnswer.hangWithoutAccepting());
    assertThat(send("Noted.")).isInstanceOf(Delivery.Unknown.class);
    assertThat(lookUp("Noted.", before)).isInstanceOf(LookUp.CannotTell.class);
    twilio.then(TwilioAnswer.acceptThenReset());
    send("Noted.");
    assertThat(lookUp("Noted.", before))
        .isEqualTo(new LookUp.Sent(twilio.messages().getLast().sid()));
  }

  @Test
  void theParticipantsOwnWordsAndOldTextsAreNotOurs() {
    twilio.receive(ROBIN.e164(), TwilioPhone.LINE_NUMBER, "hello");
    send("hello");
    clock.advance(Duration.ofMinutes(10));
    assertThat(lookUp("hello")).isInstanceOf(LookUp.CannotTell.class);
  }

  @Test
  void aTextIsFoundBehindManyNewerOnes() {
    var attempt = new Attempt(clock.instant(), Set.of());
    send("the one");
    for (int i = 0; i < 120; i++) {
      send("another " + i);
    }
    assertThat(sms.lookUp(message(ChannelKind.SMS, "the one"), attempt))
        .isInstanceOf(LookUp.Sent.class);
  }

  @Test
  void aServerThatCannotBeReachedWasNotAsked() {
    var nowhere =
        channel(
            ChannelKind.SMS,
            new Sender(
                "", Optional.of(TwilioPhone.LINE_NUMBER), Optional.empty(), Optional.empty()),
            "http://127.0.0.1:1");
    assertThat(nowhere.send(message(ChannelKind.SMS, "hello")))
        .isInstanceOf(Delivery.Deferred.class);
    assertThat(
            nowhere.lookUp(
                message(ChannelKind.SMS, "hello"), new Attempt(clock.instant(), Set.of())))
        .isInstanceOf(LookUp.CannotTell.class);
  }
}
