package org.habitline.messaging.twilio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.habitline.RestLine;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.participants.ChannelKind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever people send that is no plain text is stored, told in brackets, and answered. */
final class OddMessagesTest {

  private static final String MEDIA = "https://api.twilio.com/media/ME1";
  private static final AtomicInteger NUMBERS = new AtomicInteger(1000);

  private static FakeTwilio twilio;
  private static RestLine line;
  private static TwilioPhone phone;

  @BeforeAll
  static void start() {
    twilio = FakeTwilio.start();
    line = RestLine.start(OddMessagesTest.class, WebhookTest.settings(twilio));
    phone = TwilioPhone.calling(line.url(), WebhookTest.PUBLIC_URL);
    twilio.reaching(WebhookTest.PUBLIC_URL, line.url());
  }

  @AfterAll
  static void stop() {
    line.close();
    twilio.close();
  }

  private static Arguments odd(String what, Map<String, String> form, String told) {
    return arguments(what, form, told);
  }

  static Stream<Arguments> messages() {
    return Stream.of(
        odd("nothing", Map.of(), "[empty message received]"),
        odd("blanks", Map.of("Body", " \n\t "), "[empty message received]"),
        odd(
            "a picture",
            Map.of(
                "MessageType",
                "image",
                "NumMedia",
                "1",
                "MediaUrl0",
                MEDIA,
                "MediaContentType0",
                "image/jpeg"),
            "[image received]"),
        odd(
            "a picture with words",
            Map.of(
                "Body",
                "my walk",
                "NumMedia",
                "1",
                "MediaUrl0",
                MEDIA,
                "MediaContentType0",
                "IMAGE/JPEG"),
            "my walk\n[image received]"),
        odd(
            "two kinds of media",
            Map.of(
                "NumMedia",
                "2",
                "MediaUrl0",
                MEDIA,
                "MediaContentType0",
                "audio/ogg",
                "MediaUrl1",
                MEDIA,
                "MediaContentType1",
                "video/mp4"),
            "[audio received]\n[video received]"),
        odd("media of no type", Map.of("NumMedia", "1", "MediaUrl0", MEDIA), "[file received]"),
        odd("media that cannot be had", Map.of("MessageType", "video"), "[video received]"),
        odd(
            "a document",
            Map.of(
                "MessageType",
                "document",
                "NumMedia",
                "1",
                "MediaUrl0",
                MEDIA,
                "MediaContentType0",
                "application/msword"),
            "[document received]"),
        odd(
            "a sticker",
            Map.of(
                "MessageType",
                "sticker",
                "NumMedia",
                "1",
                "MediaUrl0",
                MEDIA,
                "MediaContentType0",
                "image/webp"),
            "[sticker received]"),
        odd("a sticker alone", Map.of("MessageType", "sticker"), "[sticker received]"),
        odd(
            "a contact",
            Map.of(
                "MessageType",
                "contacts",
                "NumMedia",
                "1",
                "MediaUrl0",
                MEDIA,
                "MediaContentType0",
                "text/x-vcard"),
            "[contact received]"),
        odd("a contact without a card", Map.of("MessageType", "contacts"), "[contact received]"),
        odd(
            "a place",
            Map.of("MessageType", "location", "Latitude", "52.5", "Longitude", "13.4"),
            "[location received]"),
        odd(
            "a place with a label",
            Map.of("Latitude", "52.5", "Longitude", "13.4", "Label", "Home"),
            "[location received: Home]"),
        odd(
            "a place that is nowhere",
            Map.of("MessageType", "location", "Latitude", "x"),
            "[location received]"),
        odd(
            "a reaction",
            Map.of("MessageType", "reaction", "Body", "👍"),
            "[reaction received: 👍]"),
        odd("a reaction taken back", Map.of("MessageType", "reaction"), "[reaction taken back]"),
        odd(
            "a button",
            Map.of(
                "MessageType",
                "button",
                "Body",
                "Done ✅",
                "ButtonText",
                "Done",
                "ButtonPayload",
                "done_1"),
            "Done"),
        odd(
            "a button whose text is blank",
            Map.of("MessageType", "button", "ButtonText", "  ", "ButtonPayload", "done_1"),
            "[button pressed: done_1]"),
        odd(
            "a button whose text is in the body",
            Map.of("ButtonText", "", "Body", "Done", "ButtonPayload", "done_1"),
            "Done"),
        odd(
            "a button without anything",
            Map.of("MessageType", "button"),
            "[choice received without a text]"),
        odd(
            "an item of a list",
            Map.of(
                "MessageType",
                "interactive",
                "ListTitle",
                "In the morning",
                "ListId",
                "am",
                "Body",
                ""),
            "In the morning"),
        odd(
            "an item of a list without a title",
            Map.of("MessageType", "interactive", "ListId", "am"),
            "[list item chosen: am]"),
        odd(
            "a form of WhatsApp",
            Map.of("MessageType", "interactive"),
            "[choice received without a text]"),
        odd(
            "a form that was filled in",
            Map.of(
                "MessageType",
                "interactive",
                "Body",
                "Sent",
                "InteractiveData",
                "{\"flow_token\":\"t1\",\"hours_slept\":7,\"mood\":[\"calm\",\"rested\"],\"note\":\"\"}"),
            "[form received: hours slept: 7; mood: calm, rested; note: ]"),
        odd(
            "a form as Meta wraps it",
            Map.of(
                "MessageType",
                "interactive",
                "InteractiveData",
                "{\"nfm_reply\":{\"name\":\"flow\",\"body\":\"Sent\",\"response_json\":"
                    + "\"{\\\"flow_token\\\":\\\"t1\\\",\\\"goal\\\":\\\"one minute\\\"}\"}}"),
            "[form received: goal: one minute]"),
        odd(
            "a form with words beside it",
            Map.of("Body", "done!", "InteractiveData", "{\"goal\":true}"),
            "done!\n[form received: goal: true]"),
        odd(
            "a form that is no JSON",
            Map.of("InteractiveData", "goal=walk"),
            "[form received: goal=walk]"),
        odd("a form without answers", Map.of("InteractiveData", "{}"), "[form received]"),
        odd(
            "a kind nobody knows",
            Map.of("MessageType", "order"),
            "[message of the kind 'order' received]"),
        odd(
            "a kind that is none",
            Map.of("MessageType", "<b>]\n"),
            "[message of an unknown kind received]"),
        odd(
            "a kind of endless length",
            Map.of("MessageType", "x".repeat(500)),
            "[message of an unknown kind received]"),
        odd("a kind nobody knows with words", Map.of("MessageType", "order", "Body", "two"), "two"),
        odd("a number of media that is none", Map.of("NumMedia", "many", "Body", "look"), "look"),
        odd("less media than none", Map.of("NumMedia", "-3", "Body", "look"), "look"),
        odd(
            "more media than can be counted",
            Map.of("NumMedia", "99999999999999", "Body", "look"),
            "look"),
        odd(
            "media that are not counted",
            Map.of("NumMedia", "many", "MediaUrl0", MEDIA, "MediaContentType0", "image/png"),
            "[image received]"),
        odd(
            "more media than are counted",
            Map.of(
                "NumMedia",
                "0",
                "MediaUrl0",
                MEDIA,
                "MediaContentType0",
                "image/png",
                "MediaUrl1",
                MEDIA,
                "MediaContentType1",
                "image/png"),
            "[image received]\n[image received]"),
        odd("a character no database keeps", Map.of("Body", "a\u0000b"), "ab"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("messages")
  void whateverComesIsKeptToldAndAnswered(String what, Map<String, String> form, String told) {
    var number = "+1206559" + NUMBERS.incrementAndGet();
    line.enrol(Map.of("phone_number", number));
    var message = phone.whatsAppText(number, "Robin", "").with(form);
    assertThat(message.post().status()).as(what).isEqualTo(200);
    assertThat(message.post().status()).as("posted again").isEqualTo(200);
    var rows = line.rows("SELECT * FROM inbox WHERE provider_id = ?", message.sid());
    assertThat(rows).hasSize(1);
    assertThat(rows.getFirst()).containsEntry("body", told);
    assertThat(rawPost(message.sid())).contains("MessageSid=" + message.sid());
    await()
        .until(() ->
            line.rows("SELECT status FROM inbox WHERE provider_id = ?", message.sid())
                .getFirst()
                .containsValue("done"));
    assertThat(
            line.rows(
                "SELECT t.outcome, t.reason FROM turn t JOIN inbox i ON i.participant_id = t.participant_id AND"
                    + " i.turn = t.number WHERE i.provider_id = ?",
                message.sid()))
        .first()
        .satisfies(turn -> assertThat(turn).containsEntry("outcome", "replied"));
  }

  @Test
  void whatAFormHoldsIsKeptAsDataAndShownInWords() {
    var number = "+1206559" + NUMBERS.incrementAndGet();
    var id = line.enrol(Map.of("phone_number", number)).result().path("id").asText();
    var message =
        phone
            .whatsAppText(number, "Robin", "")
            .with("InteractiveData", "{\"flow_token\": \"t1\", \"hours_slept\": 7}");
    assertThat(message.post().status()).isEqualTo(200);
    assertThat(line.rows("SELECT data FROM inbox WHERE provider_id = ?", message.sid()))
        .containsExactly(Map.of("data", "{\"flow_token\":\"t1\",\"hours_slept\":7}"));
    await()
        .until(() ->
            line.rows("SELECT status FROM inbox WHERE provider_id = ?", message.sid())
                .getFirst()
                .containsValue("done"));
    assertThat(line.get("/participants/" + id).response().body())
        .contains("[form received: hours slept: 7]");
    var export = line.get(RestLine.PARTICIPANTS + "/" + id + "/export").response().body();
    assertThat(export).containsPattern("\"hours_slept\" ?: ?7");
  }

  private static String rawPost(String sid) {
    return String.valueOf(
        line.rows("SELECT content FROM raw_post WHERE provider_id = ?", sid)
            .getFirst()
            .get("content"));
  }

  @Test
  void aFormThatIsLongerThanItIsKeptIsStoredAllTheSame() {
    var number = "+1206559" + NUMBERS.incrementAndGet();
    line.enrol(Map.of("phone_number", number));
    var message = phone.sms(number, "x".repeat(300_000));
    assertThat(message.post().status()).isEqualTo(200);
    var row = line.rows("SELECT * FROM inbox WHERE provider_id = ?", message.sid()).getFirst();
    assertThat(String.valueOf(row.get("body"))).hasSize(Inbox.LONGEST_TEXT).endsWith("[cut]");
    assertThat(rawPost(message.sid())).hasSize(200_000);
  }

  @Test
  void anIdThatNoMessageOfTwiliosHasIsNoMessage() {
    assertThat(
            phone
                .sms("+1206559" + NUMBERS.incrementAndGet(), "hello")
                .withSid("S".repeat(129))
                .post()
                .status())
        .isEqualTo(400);
  }

  @Test
  void whatATextIsChargedAsIsShownWithItsDelivery() {
    var number = "+1206559" + NUMBERS.incrementAndGet();
    var id = line.enrol(Map.of("phone_number", number)).result().path("id").asText();
    await()
        .until(() ->
            !line.rows("SELECT id FROM outbox WHERE participant_id = ? AND status = 'accepted'", id)
                .isEmpty());
    var sent =
        twilio.messages().stream()
            .filter(message -> !message.inbound() && message.to().endsWith(number))
            .toList()
            .getFirst();
    var delivery = line.get(RestLine.PARTICIPANTS + "/" + id + "/deliveries").result().get(0);
    assertThat(delivery.path("channel").asText()).isEqualTo(ChannelKind.SMS.word());
    assertThat(delivery.path("segments").asInt()).isEqualTo(SegmentCount.of(sent.body()));
    assertThat(delivery.path("encoding").asText()).isIn("gsm-7", "ucs-2");
    assertThat(line.get("/participants/" + id).response().body())
        .containsPattern("accepted, \\d+ segments? \\((GSM-7|UCS-2)\\)");
  }
}
