package org.habitline.messaging.twilio;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class TwilioPhoneTest {

  private static final String PUBLIC_URL = "https://line.example.org";
  private static final String PARTICIPANT = "+15005550001";

  private final ListeningLine line = new ListeningLine();
  private final TwilioPhone phone = TwilioPhone.calling(line.url(), PUBLIC_URL);

  @AfterEach
  void stop() {
    line.close();
  }

  private static String signature(ListeningLine.Call call) {
    return TwilioSigner.sign(FakeTwilio.AUTH_TOKEN, PUBLIC_URL + call.pathAndQuery(), call.form());
  }

  @Test
  void aTextComesAsTwilioPostsIt() {
    var answered = phone.text(PARTICIPANT, "I walked today 😀");

    assertThat(answered.status()).isEqualTo(200);
    assertThat(answered.contentType()).isEqualTo("text/xml");
    assertThat(answered.body()).isEqualTo("<Response/>");
    var call = line.onlyCall();
    assertThat(call.pathAndQuery()).isEqualTo("/webhooks/twilio/messages");
    assertThat(call.contentType()).startsWith("application/x-www-form-urlencoded");
    assertThat(call.signature()).isEqualTo(signature(call));
    assertThat(call.form().names())
        .containsExactlyInAnyOrder(
            "ToCountry",
            "ToState",
            "SmsMessageSid",
            "NumMedia",
            "ToCity",
            "FromZip",
            "SmsSid",
            "FromState",
            "SmsStatus",
            "FromCity",
            "Body",
            "FromCountry",
            "To",
            "ToZip",
            "NumSegments",
            "MessageSid",
            "AccountSid",
            "From",
            "ApiVersion");
    assertThat(call.form().text("Body")).isEqualTo("I walked today 😀");
    assertThat(call.form().text("From")).isEqualTo(PARTICIPANT);
    assertThat(call.form().text("To")).isEqualTo(TwilioPhone.LINE_NUMBER);
    assertThat(call.form().text("MessageSid"))
        .isEqualTo(answered.sid())
        .isEqualTo(call.form().text("SmsSid"))
        .matches("SM[0-9a-f]{32}");
  }

  @Test
  void aTextByWhatsAppSaysWhoItIs() {
    assertThat(phone.whatsApp(PARTICIPANT, "Ada", "hello").status()).isEqualTo(200);
    var form = line.onlyCall().form();
    assertThat(form.text("From")).isEqualTo("whatsapp:" + PARTICIPANT);
    assertThat(form.text("To")).isEqualTo("whatsapp:" + TwilioPhone.LINE_NUMBER);
    assertThat(form.text("WaId")).isEqualTo("15005550001");
    assertThat(form.text("ProfileName")).isEqualTo("Ada");
    assertThat(line.onlyCall().signature()).isEqualTo(signature(line.onlyCall()));
  }

  @Test
  void parametersMayBeAddedChangedRepeatedAndLeftOut() {
    var answered =
        phone
            .throughService("MG0123456789abcdef0123456789abcdef")
            .toNumber("+15005550101")
            .sms(PARTICIPANT, "STOP")
            .with(Map.of("OptOutType", "STOP", "NumSegments", "7"))
            .and("Later", "one")
            .and("Later", "one")
            .and("Later", "another")
            .without("FromZip")
            .post("/webhooks/twilio/messages?line=1");
    assertThat(answered.status()).isEqualTo(200);
    var call = line.onlyCall();
    assertThat(call.pathAndQuery()).endsWith("?line=1");
    assertThat(call.form().text("OptOutType")).isEqualTo("STOP");
    assertThat(call.form().text("NumSegments")).isEqualTo("7");
    assertThat(call.form().all("Later")).containsExactly("one", "one", "another");
    assertThat(call.form().first("FromZip")).isEmpty();
    assertThat(call.form().text("To")).isEqualTo("+15005550101");
    assertThat(call.form().text("MessagingServiceSid")).startsWith("MG");
    assertThat(call.signature()).isEqualTo(signature(call));
  }

  @Test
  void mediaAreNumbered() {
    var answered = phone.sms(PARTICIPANT, "look").media("image/jpeg").media("audio/ogg").post();
    assertThat(answered.status()).isEqualTo(200);
    var form = line.onlyCall().form();
    assertThat(form.text("NumMedia")).isEqualTo("2");
    assertThat(form.text("MediaContentType0")).isEqualTo("image/jpeg");
    assertThat(form.text("MediaContentType1")).isEqualTo("audio/ogg");
    assertThat(form.text("MediaUrl1")).contains(answered.sid() + "/Media/ME");
  }

  @Test
  void aRepetitionIsTheSameToTheByte() {
    var text = phone.sms(PARTICIPANT, "hello");
    assertThat(text.post().sid()).isEqualTo(text.post().sid());
    assertThat(line.calls().getFirst()).isEqualTo(line.calls().getLast());
    assertThat(phone.text(PARTICIPANT, "hello").sid()).isNotEqualTo(text.sid());
    assertThat(phone.sms(PARTICIPANT, "other").withSid(text.sid()).post().sid())
        .isEqualTo(text.sid());
  }

  @Test
  void aSignatureMayBeForgedMissingOrOfAnotherToken() {
    var text = phone.sms(PARTICIPANT, "hello");
    var _ = text.forged().post();
    var _ = text.signed("").post();
    var _ = phone.signedWith("another token").sms(PARTICIPANT, "hello").post();
    assertThat(line.calls())
        .allSatisfy(call -> assertThat(call.signature()).isNotEqualTo(signature(call)));
    assertThat(line.calls().get(0).signature()).isNotEmpty();
    assertThat(line.calls().get(1).signature()).isEmpty();
  }

  @Test
  void anyBytesMayBePosted() {
    line.answer(403);
    var form = FormFields.of("b", "", "a", "1");
    var answered =
        phone.post(
            TwilioPhone.STATUS_PATH,
            "b=&a=%31".getBytes(StandardCharsets.UTF_8),
            phone.sign(TwilioPhone.STATUS_PATH, form));
    assertThat(answered.status()).isEqualTo(403);
    assertThat(line.onlyCall().body()).isEqualTo("b=&a=%31");
    assertThat(line.onlyCall().signature()).isEqualTo(signature(line.onlyCall()));
  }

  @Test
  void whatIsTextedIsInTwiliosListOnceThoughTheLineDoesNotTakeIt() {
    try (var fake = FakeTwilio.start()) {
      line.answer(503);
      var text = phone.listedBy(fake).sms(PARTICIPANT, "hello").media("image/png");
      assertThat(text.post().status()).isEqualTo(503);
      assertThat(text.post().status()).isEqualTo(503);
      assertThat(fake.message(text.sid()).body()).isEqualTo("hello");
      assertThat(fake.message(text.sid()).inbound()).isTrue();
      assertThat(fake.messages()).isEmpty();
    }
  }
}
