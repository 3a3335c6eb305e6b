package org.habitline.messaging.twilio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.twilio.http.HttpMethod;
import com.twilio.http.Request;
import com.twilio.http.TwilioRestClient;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.habitline.SettableClock;
import org.habitline.messaging.Attempt;
import org.habitline.messaging.Delivery;
import org.habitline.messaging.DeliveryFailure;
import org.habitline.messaging.DeliveryReport;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.messaging.LookUp;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.OutboundMessage;
import org.habitline.messaging.ProviderClock;
import org.habitline.messaging.Template;
import org.habitline.messaging.twilio.TwilioChannel.Sender;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.PhoneNumber;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One text by the real SDK to a server that holds it to Twilio's rules. */
final class TwilioChannelTest {

  private static final PhoneNumber ROBIN = new PhoneNumber("+12065550123");
  private static final Duration SETTLES = Duration.ofSeconds(30);
  private static final URI CALLBACK = URI.create("https://line.example/webhooks/twilio/status");

  private final SettableClock clock =
      SettableClock.standingAt(Instant.parse("2020-11-21T07:15:00Z"));
  private final FakeTwilio twilio = FakeTwilio.start(clock);
  private final ProviderClock providerClock = new ProviderClock();
  private boolean hasAgents;
  private final TwilioChannel sms =
      channel(
          ChannelKind.SMS,
          new Sender(
              "",
              Optional.of(TwilioPhone.LINE_NUMBER),
              Optional.empty(),
              Optional.of(CALLBACK),
              1));

  @AfterEach
  void close() {
    twilio.close();
  }

  private TwilioChannel channel(ChannelKind kind, Sender sender) {
    return channel(kind, sender, twilio.baseUrl());
  }

  private TwilioChannel channel(ChannelKind kind, Sender sender, String baseUrl) {
    return channel(kind, sender, baseUrl, Duration.ofSeconds(20));
  }

  private TwilioChannel channel(ChannelKind kind, Sender sender, String baseUrl, Duration timeout) {
    var client =
        new TwilioRestClient.Builder(FakeTwilio.ACCOUNT_SID, FakeTwilio.AUTH_TOKEN)
            .httpClient(
                new NoRetryHttpClient(
                    Duration.ofSeconds(20), timeout, baseUrl, providerClock, clock))
            .build();
    return new TwilioChannel(
        kind, sender, client, SETTLES, SETTLES, providerClock, () -> hasAgents, clock);
  }

  private static OutboundMessage message(ChannelKind kind, String body) {
    return new OutboundMessage("dlv_1", "conv_1", null, OutboundKind.REPLY, ROBIN, kind, body);
  }

  private Delivery send(String body) {
    return sms.send(message(ChannelKind.SMS, body));
  }

  /** To a server that does not answer this one. */
  private Delivery sendInVain(String body) {
    return channel(
            ChannelKind.SMS,
            new Sender(
                "",
                Optional.of(TwilioPhone.LINE_NUMBER),
                Optional.empty(),
                Optional.of(CALLBACK),
                1),
            twilio.baseUrl(),
            Duration.ofMillis(600))
        .send(message(ChannelKind.SMS, body));
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
            new Sender(
                "", Optional.empty(), Optional.of("MG" + "0".repeat(32)), Optional.empty(), 1));
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
                Optional.empty(),
                80));
    assertThat(whatsapp.send(message(ChannelKind.WHATSAPP, "hello")))
        .isInstanceOf(Delivery.Accepted.class);
    assertThat(twilio.messages().getFirst().to()).isEqualTo("whatsapp:" + ROBIN.e164());
    assertThat(twilio.messages().getFirst().from())
        .isEqualTo("whatsapp:" + TwilioPhone.LINE_NUMBER);
    assertThat(twilio.violations()).isEmpty();
  }

  @Test
  void anAnswerByRcsLeavesFromTheAgentThatTheTextCameTo() {
    var message =
        new OutboundMessage(
            "dlv_1",
            "conv_1",
            null,
            OutboundKind.REPLY,
            ROBIN,
            ChannelKind.SMS,
            "hello",
            null,
            null,
            "rcs:example_agent");
    assertThat(sms.send(message)).isInstanceOf(Delivery.Accepted.class);
    var sent = twilio.messages().getFirst();
    assertThat(sent.from()).isEqualTo("rcs:example_agent");
    assertThat(sent.to()).isEqualTo("rcs:" + ROBIN.e164());
    assertThat(lookUp("hello")).isEqualTo(new LookUp.Sent(sent.sid()));
    twilio.then(TwilioAnswer.fail(400, 63003));
    assertThat(fate(sms.send(message)))
        .as("but perhaps by SMS")
        .isEqualTo(DeliveryFailure.NOT_BY_RCS);
    assertThat(TwilioReport.of("SM1", "undelivered", "63003", "rcs:" + ROBIN.e164()).fate())
        .isEqualTo(DeliveryFailure.NOT_BY_RCS);
    assertThat(twilio.violations()).isEmpty();
  }

  /** Sent again by SMS it would come twice. */
  @Test
  void nobodyCanTellOfATextByRcsThatIsNotInTheList() {
    var byRcs =
        new OutboundMessage(
            "dlv_1",
            "conv_1",
            null,
            OutboundKind.REPLY,
            ROBIN,
            ChannelKind.SMS,
            "hello",
            null,
            null,
            "rcs:example_agent");
    var attempt = new Attempt(clock.instant(), Set.of());
    twilio.then(TwilioAnswer.acceptThenReset());
    twilio.hideRcs();
    assertThat(sms.send(byRcs)).isInstanceOf(Delivery.Unknown.class);
    clock.advance(SETTLES.multipliedBy(2));
    assertThat(sms.lookUp(byRcs, attempt)).isInstanceOf(LookUp.CannotTell.class);
    twilio.thenRead(TwilioAnswer.accept(), TwilioAnswer.fail(400, 21211));
    assertThat(sms.lookUp(byRcs, attempt))
        .as("Twilio does not list for such an address")
        .isInstanceOf(LookUp.CannotTell.class);
    assertThat(sms.lookUp(message(ChannelKind.SMS, "hello"), attempt))
        .as("from the number it was no text by RCS")
        .isEqualTo(new LookUp.NotSent());
  }

  @Test
  void aMessagingServiceMayHaveSentByRcsOnceTheAccountHasAnAgent() {
    var service =
        channel(
            ChannelKind.SMS,
            new Sender(
                "", Optional.empty(), Optional.of("MG" + "0".repeat(32)), Optional.empty(), 1));
    var attempt = new Attempt(clock.instant(), Set.of());
    clock.advance(SETTLES.multipliedBy(2));
    assertThat(service.lookUp(message(ChannelKind.SMS, "hello"), attempt))
        .isEqualTo(new LookUp.NotSent());
    hasAgents = true;
    assertThat(service.lookUp(message(ChannelKind.SMS, "hello"), attempt))
        .isInstanceOf(LookUp.CannotTell.class);
  }

  @Test
  void aTextIsFoundThoughTwiliosClockIsBehindOurs() {
    var late = SettableClock.running();
    late.advance(Duration.ofMinutes(15));
    try (var behind = FakeTwilio.start()) {
      var client =
          new TwilioRestClient.Builder(FakeTwilio.ACCOUNT_SID, FakeTwilio.AUTH_TOKEN)
              .httpClient(
                  new NoRetryHttpClient(
                      Duration.ofSeconds(20),
                      Duration.ofSeconds(20),
                      behind.baseUrl(),
                      providerClock,
                      late))
              .build();
      var channel =
          new TwilioChannel(
              ChannelKind.SMS,
              new Sender(
                  "", Optional.of(TwilioPhone.LINE_NUMBER), Optional.empty(), Optional.empty(), 1),
              client,
              SETTLES,
              SETTLES,
              providerClock,
              () -> hasAgents,
              late);
      behind.then(TwilioAnswer.acceptThenReset());
      var attempt = new Attempt(late.instant(), Set.of());
      var message = message(ChannelKind.SMS, "hello");
      assertThat(channel.send(message)).isInstanceOf(Delivery.Unknown.class);
      late.advance(SETTLES.multipliedBy(2));
      assertThat(channel.lookUp(message, attempt))
          .as("it would be sent twice")
          .isEqualTo(new LookUp.Sent(behind.messages().getFirst().sid()));
      assertThat(providerClock.differs()).isTrue();
      assertThat(providerClock.ahead()).isBetween(Duration.ofMinutes(-17), Duration.ofMinutes(-15));
    }
  }

  @Test
  void theWordNullIsAText() {
    assertThat(send("null")).isInstanceOf(Delivery.Accepted.class);
    assertThat(twilio.messages().getFirst().body().strip()).isEqualTo("null");
    assertThat(twilio.violations()).isEmpty();
  }

  /**
   * Every code that the line knows: the HTTP status of an answer that carries it, and what it means
   * for a text. The source of each is its page in Twilio's error dictionary, {@code
   * https://www.twilio.com/docs/api/errors/} and the code; the guide lists all of them.
   */
  private static final String CODES =
      """
      429 20429 NEVER_PROCESSED
      400 21611 NEVER_PROCESSED
      400 30001 NEVER_PROCESSED
      400 30022 NEVER_PROCESSED
      400 30023 NEVER_PROCESSED
      400 63017 NEVER_PROCESSED
      400 63018 NEVER_PROCESSED
      500 20500 MAY_HAVE_GONE_OUT
      503 20503 MAY_HAVE_GONE_OUT
      408 20009 MAY_HAVE_GONE_OUT
      400 21211 BAD_NUMBER
      400 21614 BAD_NUMBER
      400 21612 BAD_NUMBER
      400 21635 BAD_NUMBER
      400 30004 BAD_NUMBER
      400 30005 BAD_NUMBER
      400 30006 BAD_NUMBER
      400 63003 BAD_NUMBER
      400 63024 BAD_NUMBER
      400 21610 OPTED_OUT
      400 63014 OPTED_OUT
      400 30003 ONCE_MORE
      400 30008 ONCE_MORE
      400 63010 ONCE_MORE
      400 63012 ONCE_MORE
      400 30610 QUIET_HOURS
      400 30047 QUIET_HOURS
      400 63016 WINDOW_CLOSED
      401 20003 MISCONFIGURED
      400 30002 MISCONFIGURED
      400 30034 MISCONFIGURED
      400 30032 MISCONFIGURED
      400 21606 MISCONFIGURED
      400 21408 MISCONFIGURED
      400 63007 MISCONFIGURED
      404 20404 MISCONFIGURED
      400 63038 NEXT_DAY
      400 30035 MISCONFIGURED
      400 21603 MISCONFIGURED
      400 21659 MISCONFIGURED
      400 63106 NOT_BY_RCS
      400 63049 FINAL
      400 21617 FINAL
      400 30007 FINAL
      400 12345 FINAL
      """;

  static Stream<Arguments> codes() {
    return CODES.lines().map(line -> arguments((Object[]) line.strip().split(" ")));
  }

  @Test
  void everyCodeThatIsListedIsHeldHasWordsAndASourceAndStandsInTheGuide() throws IOException {
    var held = codes().map(row -> Integer.valueOf(String.valueOf(row.get()[1]))).toList();
    assertThat(held).doesNotHaveDuplicates().containsAll(TwilioErrors.codes());
    var guide = Files.readString(Path.of("docs/production.md"));
    for (var code : TwilioErrors.codes()) {
      assertThat(TwilioErrors.meaning(code.toString()).orElseThrow()).isNotBlank();
      assertThat(TwilioErrors.source(code))
          .isEqualTo("https://www.twilio.com/docs/api/errors/" + code);
      assertThat(guide).contains(code.toString());
    }
    assertThat(TwilioErrors.meaning("63049").orElseThrow()).contains("utility template");
    assertThat(guide).contains("https://www.twilio.com/docs/api/errors/");
  }

  @ParameterizedTest
  @MethodSource("codes")
  void aCodeOfTwilioMeansTheSameInAnAnswerAndInAReport(int status, int code, DeliveryFailure fate) {
    twilio.then(TwilioAnswer.fail(status, code));
    assertThat(fate(send("hello"))).isEqualTo(fate);
    assertThat(twilio.posts()).as("one request, whatever the answer").hasSize(1);
    if (code != 20009) {
      assertThat(TwilioReport.of("SM1", "failed", String.valueOf(code), "+12065550123").fate())
          .isEqualTo(fate);
    }
  }

  private static DeliveryFailure fate(Delivery delivery) {
    return switch (delivery) {
      case Delivery.Deferred deferred -> deferred.why();
      case Delivery.Refused refused -> refused.why();
      case Delivery.Unknown unknown -> DeliveryFailure.MAY_HAVE_GONE_OUT;
      case Delivery.Accepted accepted -> throw new AssertionError("It was accepted.");
    };
  }

  @ParameterizedTest
  @CsvSource({
    "400, FINAL",
    "401, MISCONFIGURED",
    "404, FINAL",
    "429, NEVER_PROCESSED",
    "500, MAY_HAVE_GONE_OUT",
    "502, MAY_HAVE_GONE_OUT",
    "503, MAY_HAVE_GONE_OUT",
    "504, MAY_HAVE_GONE_OUT"
  })
  void withoutACodeTheStatusDecides(int status, DeliveryFailure fate) {
    twilio.then(TwilioAnswer.failWithoutJson(status));
    assertThat(fate(send("hello"))).isEqualTo(fate);
    assertThat(twilio.posts()).as("one request, whatever the answer").hasSize(1);
  }

  @Test
  void aTemplateGoesOutWithItsVariablesAndIsFoundWhateverItsWords() {
    var whatsapp =
        channel(
            ChannelKind.WHATSAPP,
            new Sender(
                "whatsapp:",
                Optional.of(TwilioPhone.LINE_NUMBER),
                Optional.empty(),
                Optional.empty(),
                80));
    var message =
        new OutboundMessage(
            "dlv_1",
            "conv_1",
            1,
            OutboundKind.PROMPT,
            ROBIN,
            ChannelKind.WHATSAPP,
            "One minute?",
            new Template("HX" + "0".repeat(32), Map.of("1", "Robin \"R\" Example")),
            null,
            null);
    twilio.then(TwilioAnswer.acceptThenReset());
    assertThat(whatsapp.send(message)).isInstanceOf(Delivery.Unknown.class);
    var form = twilio.posts().getFirst().form();
    assertThat(form.text("ContentSid")).isEqualTo("HX" + "0".repeat(32));
    assertThat(form.text("ContentVariables")).isEqualTo("{\"1\":\"Robin \\\"R\\\" Example\"}");
    assertThat(form.names()).doesNotContain("Body");
    assertThat(whatsapp.lookUp(message, new Attempt(clock.instant(), Set.of())))
        .isEqualTo(new LookUp.Sent(twilio.messages().getFirst().sid()));
    assertThat(twilio.violations()).isEmpty();
  }

  @Test
  void whatBecameOfATextCanBeAsked() {
    send("hello");
    var sid = twilio.messages().getFirst().sid();
    twilio.mark(sid, "undelivered", 30005);
    assertThat(sms.report(sid))
        .contains(
            new DeliveryReport(
                sid,
                "undelivered",
                DeliveryStatus.UNDELIVERED,
                "30005",
                DeliveryFailure.BAD_NUMBER));
    twilio.thenRead(TwilioAnswer.failWithoutJson(503));
    assertThat(sms.report(sid)).isEmpty();
    assertThat(sms.report("SM" + "f".repeat(32))).isEmpty();
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
    assertThat(how.equals("hang") ? sendInVain("hello") : send("hello"))
        .isInstanceOf(Delivery.Unknown.class);
    await().until(() -> !twilio.messages().isEmpty());
    assertThat(lookUp("hello")).isEqualTo(new LookUp.Sent(twilio.messages().getFirst().sid()));
    assertThat(twilio.posts()).hasSize(1);
    assertThat(twilio.violations()).isEmpty();
  }

  @Test
  void aTextThatIsNotInTheListWasNotSentOnceTheListHasSettled() {
    twilio.then(TwilioAnswer.hangWithoutAccepting());
    assertThat(sendInVain("hello")).isInstanceOf(Delivery.Unknown.class);
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
    assertThat(sendInVain("Noted.")).isInstanceOf(Delivery.Unknown.class);
    await().until(() -> twilio.posts().size() == 2);
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
  void aResponseHasTheListOfHeadersThatTheSdkReadsWhenItsLoggerIsOn() {
    var http =
        new NoRetryHttpClient(
            Duration.ofSeconds(20), Duration.ofSeconds(20), twilio.baseUrl(), providerClock, clock);
    var request =
        new Request(
            HttpMethod.GET,
            "https://api.twilio.com/2010-04-01/Accounts/"
                + FakeTwilio.ACCOUNT_SID
                + "/Messages.json");
    request.setAuth(FakeTwilio.ACCOUNT_SID, FakeTwilio.AUTH_TOKEN);
    assertThat(http.makeRequest(request).getHeaders()).isEmpty();
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
                "", Optional.of(TwilioPhone.LINE_NUMBER), Optional.empty(), Optional.empty(), 1),
            "http://127.0.0.1:1");
    assertThat(nowhere.send(message(ChannelKind.SMS, "hello")))
        .isInstanceOf(Delivery.Deferred.class);
    assertThat(
            nowhere.lookUp(
                message(ChannelKind.SMS, "hello"), new Attempt(clock.instant(), Set.of())))
        .isInstanceOf(LookUp.CannotTell.class);
  }
}
