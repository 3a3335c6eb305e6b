package org.habitline.messaging.twilio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.habitline.RestLine;
import org.habitline.RestLine.Answer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Texts from senders whom nobody enrolled: claimed, dismissed, and senders without a number. */
final class StrangersTest {

  private static final AtomicInteger NUMBERS = new AtomicInteger(1000);

  private static FakeTwilio twilio;
  private static RestLine line;
  private static TwilioPhone phone;
  private static String staff;

  @BeforeAll
  static void start() {
    twilio = FakeTwilio.start();
    line = RestLine.start(StrangersTest.class, WebhookTest.settings(twilio));
    phone = TwilioPhone.calling(line.url(), WebhookTest.PUBLIC_URL);
    staff = line.key("Buttons of the page", "staff");
    twilio.reaching(WebhookTest.PUBLIC_URL, line.url());
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

  private static String newNumber() {
    return "+1206558" + NUMBERS.incrementAndGet();
  }

  /** What WhatsApp calls somebody whose number it does not show. */
  private static String newScopedId() {
    return "US.1349120865530274" + NUMBERS.incrementAndGet();
  }

  private static JsonNode greeted(String number) {
    var enrolled = line.enrol(Map.of("phone_number", number)).result();
    awaitTexts(number, 1);
    return enrolled;
  }

  private static String at(JsonNode participant) {
    return RestLine.PARTICIPANTS + "/" + participant.path("id").asText();
  }

  private static List<TwilioMessage> sentTo(String receiver) {
    return twilio.messages().stream()
        .filter(message -> !message.inbound() && message.to().endsWith(receiver))
        .toList();
  }

  private static void awaitTexts(String receiver, int howMany) {
    await().until(() -> sentTo(receiver).size() >= howMany);
  }

  private static List<Map<String, Object>> inbox(String sid) {
    return line.rows("SELECT * FROM inbox WHERE provider_id = ?", sid);
  }

  private static void handled(String sid) {
    await().until(() -> inbox(sid).stream().allMatch(row -> "done".equals(row.get("status"))));
  }

  private static String seq(TwilioPhone.Answered text) {
    return String.valueOf(
        line.rows("SELECT seq FROM unclaimed_text WHERE provider_id = ?", text.sid())
            .getFirst()
            .get("seq"));
  }

  private static Answer claim(TwilioPhone.Answered text, JsonNode participant) {
    return line.send(
        "POST",
        "/unclaimed/" + seq(text) + "/claim",
        RestLine.write(Map.of("participant_id", participant.path("id").asText())));
  }

  private static Answer enrol(TwilioPhone.Answered text) {
    return line.send(
        "POST",
        "/unclaimed/" + seq(text) + "/claim",
        RestLine.write(Map.of("enrol", true, "name", "Wren", "timezone", "Europe/Berlin")));
  }

  private static boolean optedOut(JsonNode participant) {
    return line.get(at(participant)).result().path("opted_out").asBoolean();
  }

  private static List<String> waiting() {
    return line.get("/unclaimed?limit=200").result().findValuesAsText("sender");
  }

  @Test
  void whoeverHasNoNumberIsHeardAndAnsweredUnderTheirOwnNameOnceTheyAreClaimed() {
    var robin = greeted(newNumber());
    var scopedId = newScopedId();
    var first = phone.whatsApp(scopedId, "Robin", "make it personal");
    assertThat(waiting()).contains("whatsapp:" + scopedId);
    var claimed = claim(first, robin);
    assertThat(claimed.status()).isEqualTo(200);
    assertThat(claimed.result().path("id").asText()).isEqualTo(robin.path("id").asText());
    awaitTexts(scopedId, 1);
    assertThat(sentTo(scopedId).getFirst().to()).isEqualTo("whatsapp:" + scopedId);
    assertThat(waiting()).doesNotContain("whatsapp:" + scopedId);

    var second = phone.whatsApp(scopedId, "Robin", "while the coffee brews");
    assertThat(inbox(second.sid()).getFirst())
        .containsEntry("participant_id", robin.path("id").asText());
    awaitTexts(scopedId, 2);
    assertThat(line.rows("SELECT * FROM audit_event WHERE action = 'text claimed'").toString())
        .doesNotContain(scopedId);
  }

  @Test
  void aNameThatCameWithTheNumberIsMatchedWhenTheNumberIsShownNoMore() {
    var number = newNumber();
    var robin = greeted(number);
    var scopedId = newScopedId();
    phone.whatsAppText(number, "Robin", "make it personal").with("ExternalUserId", scopedId).post();
    awaitTexts(number, 2);
    assertThat(sentTo(number).getLast().to()).as("still shown").isEqualTo("whatsapp:" + number);

    var hidden = phone.whatsApp(scopedId, "Robin", "while the coffee brews");
    assertThat(inbox(hidden.sid()).getFirst())
        .containsEntry("participant_id", robin.path("id").asText());
    awaitTexts(scopedId, 1);
    var unnamed =
        phone
            .whatsAppText(scopedId, "Robin", "and the radio plays")
            .with("From", "")
            .with("ExternalUserId", scopedId);
    assertThat(unnamed.post().status()).isEqualTo(200);
    assertThat(inbox(unnamed.sid())).hasSize(1);
    handled(unnamed.sid());

    var sent = sentTo(number).size();
    phone
        .whatsAppText(number, "Robin", "shown again")
        .with("ExternalUserId", "whatsapp:" + scopedId)
        .post();
    await().until(() -> sentTo(number).size() > sent);
    phone.whatsApp(scopedId, "Robin", "STOP");
    assertThat(optedOut(robin)).isTrue();
    assertThat(line.get(at(robin) + "/export").response().body()).contains(scopedId);

    line.send("DELETE", at(robin), "");
    await()
        .until(() ->
            line.rows("SELECT id FROM participant WHERE id = ?", robin.path("id").asText())
                .isEmpty());
    phone.whatsApp(scopedId, "Robin", "hello again");
    assertThat(waiting()).contains("whatsapp:" + scopedId);
  }

  @Test
  void aNameIsOnlyLearntFromTheNumberOfItsParticipant() {
    var number = newNumber();
    var scopedId = newScopedId();
    var early =
        phone.whatsAppText(number, "Robin", "hello?").with("ExternalUserId", scopedId).post();
    var robin = greeted(number);
    assertThat(claim(early, robin).status()).isEqualTo(200);
    var hidden = phone.whatsApp(scopedId, "Robin", "it is me");
    assertThat(inbox(hidden.sid()).getFirst())
        .containsEntry("participant_id", robin.path("id").asText());

    var another = newScopedId();
    var elsewhere =
        phone
            .whatsAppText(newNumber(), "Robin", "from the office")
            .with("ExternalUserId", another)
            .post();
    assertThat(claim(elsewhere, robin).status()).isEqualTo(200);
    phone.whatsApp(another, "Somebody", "who is this?");
    assertThat(waiting()).contains("whatsapp:" + another);
  }

  @Test
  void aTextThatIsClaimedLaterDoesNotOpenTheWindowAgain() {
    var robin = greeted(newNumber());
    var text = phone.whatsApp(newScopedId(), "Robin", "hello");
    var came =
        line.rows("SELECT received_at FROM unclaimed_text WHERE provider_id = ?", text.sid())
            .getFirst()
            .get("received_at");
    claim(text, robin);
    assertThat(inbox(text.sid()).getFirst()).containsEntry("stored_at", came);
  }

  @Test
  void aClaimedTextEntersTheConversationOnceHoweverOftenItComes() {
    var robin = greeted(newNumber());
    var text = phone.whatsAppText(newScopedId(), "Robin", "make it personal");
    var answered = text.post();
    assertThat(claim(answered, robin).status()).isEqualTo(200);
    handled(answered.sid());
    assertThat(text.post().status()).as("repeated by the provider").isEqualTo(200);
    var again = claim(answered, robin);
    assertThat(again.status()).isEqualTo(409);
    assertThat(again.message()).contains("matched to " + robin.path("id").asText());
    assertThat(inbox(answered.sid())).hasSize(1);
    assertThat(line.rows("SELECT seq FROM unclaimed_text WHERE provider_id = ?", answered.sid()))
        .hasSize(1);
  }

  @Test
  void ofManyWhoClaimATextAtOnceOneGetsIt() throws Exception {
    var people = List.of(greeted(newNumber()), greeted(newNumber()));
    var text = phone.whatsApp(newScopedId(), "Robin", "hello");
    var begin = new CountDownLatch(1);
    var claims = new ArrayList<FutureTask<Answer>>();
    for (int i = 0; i < 8; i++) {
      var participant = people.get(i % 2);
      var task =
          new FutureTask<>(() -> {
            begin.await();
            return claim(text, participant);
          });
      claims.add(task);
      Thread.startVirtualThread(task);
    }
    begin.countDown();
    var statuses = new ArrayList<Integer>();
    for (var claim : claims) {
      statuses.add(claim.get().status());
    }
    assertThat(statuses).containsOnlyOnce(200).containsOnly(200, 409);
    assertThat(inbox(text.sid())).hasSize(1);
  }

  @Test
  void theSenderOfOneParticipantIsNotClaimedForAnother() {
    var robin = greeted(newNumber());
    var wren = greeted(newNumber());
    var scopedId = newScopedId();
    var first = phone.whatsApp(scopedId, "Robin", "one");
    var second = phone.whatsApp(scopedId, "Robin", "two");
    assertThat(claim(first, robin).status()).isEqualTo(200);
    var refused = claim(second, wren);
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.message()).contains("another participant");
    assertThat(inbox(second.sid())).isEmpty();
    assertThat(claim(second, robin).status()).isEqualTo(200);
  }

  @Test
  void aStopOfASenderWithoutANumberOptsTheParticipantOutAndItsStartBringsThemBack() {
    var robin = greeted(newNumber());
    var scopedId = newScopedId();
    claim(phone.whatsApp(scopedId, "Robin", "hello"), robin);
    awaitTexts(scopedId, 1);
    phone.whatsApp(scopedId, "Robin", "STOP");
    assertThat(optedOut(robin)).isTrue();
    var unheard = phone.whatsApp(scopedId, "Robin", "hello?");
    handled(unheard.sid());
    assertThat(sentTo(scopedId)).hasSize(1);
    phone.whatsApp(scopedId, "Robin", "START");
    assertThat(optedOut(robin)).isFalse();
  }

  @Test
  void aStopThatIsClaimedOptsOutAndAStartThatIsClaimedDoesNotBringBack() {
    var robin = greeted(newNumber());
    var scopedId = newScopedId();
    var start = phone.whatsApp(scopedId, "Robin", "START");
    var stop = phone.whatsAppText(scopedId, "Robin", "Ferma").with("OptOutType", "STOP").post();
    assertThat(claim(stop, robin).status()).isEqualTo(200);
    assertThat(optedOut(robin)).isTrue();
    assertThat(claim(start, robin).status()).isEqualTo(200);
    assertThat(optedOut(robin)).isTrue();
  }

  @Test
  void anErasureTakesTheSenderAndWhatItSaid() {
    var robin = greeted(newNumber());
    var scopedId = newScopedId();
    var text = phone.whatsAppText(scopedId, "Robin", "something private");
    claim(text.post(), robin);
    awaitTexts(scopedId, 1);
    assertThat(line.send("DELETE", at(robin), "").status()).isEqualTo(200);
    await()
        .until(() ->
            line.rows("SELECT id FROM participant WHERE id = ?", robin.path("id").asText())
                .isEmpty());
    assertThat(line.rows("SELECT * FROM sender_alias WHERE sender LIKE ?", "%" + scopedId))
        .isEmpty();
    assertThat(line.rows("SELECT * FROM unclaimed_text").toString())
        .doesNotContain(scopedId, "something private");
    phone.whatsApp(scopedId, "Robin", "hello again");
    assertThat(waiting()).contains("whatsapp:" + scopedId);
  }

  @Test
  void aSenderThatIsForgottenIsAStrangerAgain() {
    var number = newNumber();
    var robin = greeted(number);
    var scopedId = newScopedId();
    claim(phone.whatsApp(scopedId, "Robin", "make it personal"), robin);
    awaitTexts(scopedId, 1);
    assertThat(line.send("DELETE", at(robin) + "/senders", "").status()).isEqualTo(200);
    assertThat(line.send("DELETE", at(robin) + "/senders", "").status()).isEqualTo(409);
    phone.whatsApp(scopedId, "Robin", "hello");
    assertThat(waiting()).contains("whatsapp:" + scopedId);
    phone.whatsApp(number, "Robin", "while the coffee brews");
    await().until(() -> sentTo(number).stream().anyMatch(text -> text.isWhatsApp()));
    assertThat(sentTo(scopedId)).hasSize(1);
  }

  @Test
  void theSenderOfATextIsEnrolledAndAnsweredWithoutAGreeting() {
    var number = newNumber();
    var text = phone.text(number, "make it personal");
    var enrolled = enrol(text);
    assertThat(enrolled.status()).isEqualTo(200);
    assertThat(enrolled.result().path("phone_number").asText()).isEqualTo(number);
    assertThat(enrolled.result().path("channel").asText()).isEqualTo("sms");
    assertThat(enrolled.result().path("timezone").asText()).isEqualTo("Europe/Berlin");
    awaitTexts(number, 1);
    handled(text.sid());
    assertThat(sentTo(number)).hasSize(1);
    assertThat(enrol(text).status()).isEqualTo(409);
    assertThat(
            line.rows(
                "SELECT action FROM audit_event WHERE participant_id = ? ORDER BY seq",
                enrolled.result().path("id").asText()))
        .extracting(row -> row.get("action"))
        .containsExactly("participant enrolled", "text claimed");
  }

  @Test
  void whatCameBeforeTheEnrolmentIsToldAmongTheReasonsUntilItIsDecided() {
    var number = newNumber();
    phone.text(newNumber(), "somebody else");
    var sms = phone.text(number, "hello?");
    phone.whatsApp(number, "Robin", "anybody?");
    var robin = greeted(number);
    assertThat(line.get(at(robin) + "/silence").result().toString())
        .contains("before it was assigned to this participant: 2.");
    assertThat(claim(sms, robin).status()).isEqualTo(200);
    assertThat(line.get(at(robin) + "/silence").result().toString())
        .contains("before it was assigned to this participant: 1.");
  }

  @Test
  void whoeverShowsNoNumberCannotBeEnrolled() {
    var text = phone.whatsApp(newScopedId(), "Robin", "hello");
    var refused = enrol(text);
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.message()).contains("shows no phone number");
  }

  @Test
  void aTextFromAnotherNumberIsClaimedOnceAndTheNumberStaysUnknown() {
    var robin = greeted(newNumber());
    var other = newNumber();
    var text = phone.text(other, "it is me, from the office");
    assertThat(claim(text, robin).status()).isEqualTo(200);
    assertThat(inbox(text.sid())).hasSize(1);
    phone.text(other, "and again");
    assertThat(waiting()).contains(other);
    assertThat(sentTo(other)).isEmpty();
  }

  @Test
  void aTextIsDismissedOnceWithAReasonThatIsAudited() {
    var text = phone.text(newNumber(), "buy now!!");
    var path = "/unclaimed/" + seq(text) + "/dismiss";
    assertThat(line.send("POST", path, "{}").status()).isEqualTo(400);
    assertThat(line.send("POST", path, "{\"reason\":\"an advertisement\"}").status())
        .isEqualTo(200);
    var again = line.send("POST", path, "{\"reason\":\"an advertisement\"}");
    assertThat(again.status()).isEqualTo(409);
    assertThat(again.message()).isEqualTo("This text is already dismissed; nothing was changed.");
    assertThat(claim(text, greeted(newNumber())).status()).isEqualTo(409);
    assertThat(
            line.rows(
                "SELECT * FROM audit_event WHERE action = 'text dismissed' AND subject = ?",
                "unclaimed text " + seq(text)))
        .singleElement()
        .satisfies(row -> assertThat(row).containsEntry("reason", "an advertisement"));
    assertThat(line.get("/unclaimed?status=dismissed").result().findValuesAsText("body"))
        .contains("buy now!!");
    assertThat(line.get("/unclaimed?status=gone").status()).isEqualTo(400);
  }

  @Test
  void whatDoesNotExistCannotBeDecided() {
    assertThat(line.send("POST", "/unclaimed/999999/dismiss", "{\"reason\":\"x\"}").status())
        .isEqualTo(404);
    var text = phone.text(newNumber(), "hello");
    assertThat(
            line.send(
                    "POST",
                    "/unclaimed/" + seq(text) + "/claim",
                    "{\"participant_id\":\"conv_none\"}")
                .status())
        .isEqualTo(404);
    assertThat(line.send("POST", "/unclaimed/" + seq(text) + "/claim", "{}").status())
        .isEqualTo(400);
  }

  @Test
  void aTextThatCameBeforeItsNumberChangedIsNotTakenForAStrangersWhenItIsRepeated() {
    var number = newNumber();
    var robin = greeted(number);
    var text = phone.sms(number, "make it personal");
    text.post();
    handled(text.sid());
    assertThat(
            line.send(
                    "POST",
                    at(robin) + "/phone",
                    RestLine.write(Map.of("phone_number", newNumber())))
                .status())
        .isEqualTo(200);
    text.post();
    assertThat(line.rows("SELECT seq FROM unclaimed_text WHERE provider_id = ?", text.sid()))
        .isEmpty();
  }

  @Test
  void thePageShowsWhatWaitsAndItsButtonsDecide() throws Exception {
    var robin = greeted(newNumber());
    var id = robin.path("id").asText();
    var claimed = phone.whatsApp(newScopedId(), "Robin", "claim <me>");
    var enrolled = phone.text(newNumber(), "make it personal");
    var dismissed = phone.text(newNumber(), "dismiss me");
    assertThat(line.get("/").response().body()).contains("claim &lt;me&gt;", "dismiss me");
    assertThat(form(claimed, "claim", "participant_id=" + id)).isEqualTo("303 /participants/" + id);
    assertThat(form(enrolled, "claim", "enrol=true")).startsWith("303 /participants/conv_");
    assertThat(form(dismissed, "claim", "participant_id=")).isEqualTo("400 ");
    assertThat(form(dismissed, "dismiss", "reason=an+advertisement")).isEqualTo("303 /");
    assertThat(form(dismissed, "dismiss", "reason=an+advertisement")).isEqualTo("409 ");
    assertThat(line.get("/").response().body()).doesNotContain("claim &lt;me&gt;", "dismiss me");
  }

  private static String form(TwilioPhone.Answered text, String act, String body) throws Exception {
    try (var client = HttpClient.newHttpClient()) {
      var path = "/unclaimed/" + seq(text) + "/" + act + "/form";
      var response =
          client.send(
              HttpRequest.newBuilder(URI.create(line.url()).resolve(path))
                  .header("Content-Type", "application/x-www-form-urlencoded")
                  .header("Authorization", "Bearer " + staff)
                  .POST(HttpRequest.BodyPublishers.ofString(body))
                  .build(),
              HttpResponse.BodyHandlers.discarding());
      return response.statusCode() + " " + response.headers().firstValue("Location").orElse("");
    }
  }

  @Test
  void whatCameUnderANameIsErasedAndExportedWithThePersonWhoseItIs() {
    var number = newNumber();
    var robin = greeted(number);
    var scopedId = newScopedId();
    var hidden = phone.whatsApp(scopedId, "Robin", "something private");
    phone.whatsAppText(number, "Robin", "hello").with("ExternalUserId", scopedId).post();
    var elsewhere =
        phone
            .whatsAppText(newNumber(), "Robin", "from my other phone")
            .with("ExternalUserId", scopedId)
            .post();
    assertThat(line.get(at(robin) + "/export").response().body())
        .contains("something private", "from my other phone");
    line.send("DELETE", at(robin), "");
    await()
        .until(() ->
            line.rows("SELECT id FROM participant WHERE id = ?", robin.path("id").asText())
                .isEmpty());
    for (var text : List.of(hidden, elsewhere)) {
      assertThat(line.rows("SELECT * FROM unclaimed_text WHERE provider_id = ?", text.sid()))
          .singleElement()
          .satisfies(
              row -> assertThat(row).containsEntry("status", "erased").containsEntry("body", ""));
      assertThat(line.rows("SELECT * FROM raw_post WHERE provider_id = ?", text.sid())).isEmpty();
    }
  }

  @Test
  void theNewestStopOrStartUnderANameCountsOnceTheNameIsKnown() {
    var left = newNumber();
    var robin = greeted(left);
    var name = newScopedId();
    phone.whatsApp(name, "Robin", "START");
    phone.whatsApp(name, "Robin", "STOP");
    phone.whatsApp(name, "Robin", "hello?");
    assertThat(optedOut(robin)).isFalse();
    phone.whatsAppText(left, "Robin", "it is me").with("ExternalUserId", name).post();
    assertThat(optedOut(robin)).isTrue();
    phone.whatsAppText(left, "Robin", "START").with("ExternalUserId", name).post();
    assertThat(optedOut(robin)).isFalse();
    phone.whatsAppText(left, "Robin", "hello").with("ExternalUserId", name).post();
    assertThat(optedOut(robin)).as("what was heard once is not heard again").isFalse();

    var stayed = newNumber();
    var wren = greeted(stayed);
    var another = newScopedId();
    phone.whatsApp(another, "Wren", "STOP");
    phone.whatsApp(another, "Wren", "START");
    phone.whatsAppText(stayed, "Wren", "it is me").with("ExternalUserId", another).post();
    assertThat(optedOut(wren)).isFalse();

    var back = newNumber();
    var finch = greeted(back);
    var third = newScopedId();
    phone.whatsApp(third, "Finch", "STOP");
    phone.whatsAppText(back, "Finch", "START").with("ExternalUserId", third).post();
    assertThat(optedOut(finch)).as("the text that shows the number is the newest").isFalse();
  }

  @Test
  void aStopUnderANameCountsAlsoIfAnotherTextUnderItIsClaimed() {
    var robin = greeted(newNumber());
    var scopedId = newScopedId();
    var hello = phone.whatsApp(scopedId, "Robin", "hello");
    phone.whatsApp(scopedId, "Robin", "STOP");
    assertThat(claim(hello, robin).status()).isEqualTo(200);
    assertThat(optedOut(robin)).isTrue();
  }

  @Test
  void aStopUnderANameThatWasTakenBackSinceDoesNotCountAgain() {
    var robin = greeted(newNumber());
    var scopedId = newScopedId();
    phone.whatsApp(scopedId, "Robin", "STOP");
    var hello = phone.whatsApp(scopedId, "Robin", "hello");
    var hey = phone.whatsApp(scopedId, "Robin", "hey");
    assertThat(claim(hello, robin).status()).isEqualTo(200);
    assertThat(optedOut(robin)).isTrue();
    phone.whatsApp(scopedId, "Robin", "START");
    assertThat(optedOut(robin)).isFalse();
    assertThat(claim(hey, robin).status()).isEqualTo(200);
    assertThat(optedOut(robin)).isFalse();
  }
}
