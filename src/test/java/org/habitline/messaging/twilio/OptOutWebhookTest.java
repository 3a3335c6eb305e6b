package org.habitline.messaging.twilio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.habitline.RestLine;
import org.habitline.flows.FlowCatalog;
import org.habitline.flows.FlowTexts;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every form of opting out and of coming back, through the signed webhook. */
final class OptOutWebhookTest {

  private static final String BLOCKED = "Twilio still blocks this number";
  private static final AtomicInteger NUMBERS = new AtomicInteger(1000);

  private static FakeTwilio twilio;
  private static RestLine line;
  private static TwilioPhone phone;
  private static FlowTexts texts;

  private String number;
  private JsonNode robin;

  @BeforeAll
  static void start() {
    twilio = FakeTwilio.start();
    line = RestLine.start(OptOutWebhookTest.class, WebhookTest.settings(twilio));
    phone = TwilioPhone.calling(line.url(), WebhookTest.PUBLIC_URL);
    twilio.reaching(WebhookTest.PUBLIC_URL, line.url());
    texts = line.bean(FlowCatalog.class).defaultFlow().texts();
  }

  @AfterAll
  static void stop() {
    line.close();
    twilio.close();
  }

  @BeforeEach
  void greet() {
    twilio.otherwise(posted -> TwilioAnswer.accept());
    number = newNumber();
    robin = line.enrol(Map.of("phone_number", number)).result();
    await().until(() -> sent().size() == 1);
    await()
        .until(() ->
            line.rows(
                    "SELECT id FROM outbox WHERE open = TRUE AND participant_id = ?",
                    robin.path("id").asText())
                .isEmpty());
  }

  @AfterEach
  void everythingWasWithinTheRules() {
    assertThat(twilio.violations()).isEmpty();
  }

  private static String newNumber() {
    return "+1206559" + NUMBERS.incrementAndGet();
  }

  private List<TwilioMessage> sent() {
    return sentTo(number);
  }

  private static List<TwilioMessage> sentTo(String receiver) {
    return twilio.messages().stream()
        .filter(message -> !message.inbound() && message.to().endsWith(receiver))
        .toList();
  }

  /** What was sent after the greeting, once everything that waits has left. */
  private List<String> replies() {
    var all = sent().stream().map(TwilioMessage::body).toList();
    return all.subList(1, all.size());
  }

  private void text(String body) {
    text(body, Map.of());
  }

  /** Texts, and waits until the turn is committed and nothing waits to go out. */
  private void text(String body, Map<String, String> parameters) {
    var text = phone.text(number, body, parameters);
    assertThat(text.status()).isEqualTo(200);
    await()
        .until(() ->
            line.rows("SELECT seq FROM inbox WHERE provider_id = ? AND status = 'done'", text.sid())
                    .size()
                == 1);
    await()
        .until(() ->
            line.rows(
                    "SELECT id FROM outbox WHERE open = TRUE AND participant_id = ?",
                    robin.path("id").asText())
                .isEmpty());
  }

  private boolean optedOut() {
    return line.get(at()).result().path("opted_out").asBoolean();
  }

  private String at() {
    return RestLine.PARTICIPANTS + "/" + robin.path("id").asText();
  }

  /** Twilio refuses everything to this number from now on, as after a STOP that it knows. */
  private void twilioBlocks() {
    twilio.otherwise(posted ->
        posted.to().equals(number) ? TwilioAnswer.fail(400, 21610) : TwilioAnswer.accept());
  }

  private String today() {
    return line.get("/today/blocked").response().body();
  }

  private List<String> silence() {
    return line.get(at() + "/silence").result().findValuesAsText("sentence");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "STOP",
        "stopall",
        "Unsubscribe.",
        " CANCEL!",
        "end",
        "«Quit»",
        "revoke…",
        "OptOut",
        "opt-out",
        "STOP 🙏"
      })
  void aStopWordInAnyCaseAndPunctuationEndsEverythingWithoutAReply(String word) {
    text(word);
    assertThat(optedOut()).isTrue();
    text("are you there?");
    assertThat(replies()).isEmpty();
    assertThat(silence().getFirst()).contains("a word such as STOP");
  }

  @ParameterizedTest
  @ValueSource(strings = {"START", "unstop!", "Yes."})
  void aWordOfReturnBringsBackWhoOptedOut(String word) {
    text("STOP");
    text(word);
    assertThat(optedOut()).isFalse();
    assertThat(replies()).isEmpty();
    text("make it personal");
    assertThat(replies()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"start", "UNSTOP", "yes"})
  void aWordOfReturnOfSomebodyWhoIsThereIsForTheCoach(String word) {
    text(word);
    assertThat(optedOut()).isFalse();
    assertThat(replies()).hasSize(1);
    assertThat(
            line.rows(
                "SELECT wish FROM inbox WHERE participant_id = ? AND wish IS NOT NULL",
                robin.path("id").asText()))
        .isEmpty();
  }

  @Test
  void noOtherTextBringsBack() {
    text("STOP");
    for (var other : List.of("I am back", "please start again", "yes please", "ok")) {
      text(other);
    }
    assertThat(optedOut()).isTrue();
    assertThat(replies()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"HELP", "help?", "Info"})
  void helpIsAnsweredWithTheFlowsTextAlsoAfterStop(String word) {
    text(word);
    assertThat(replies()).containsExactly(texts.help());
    text("STOP");
    text(word);
    assertThat(replies()).containsExactly(texts.help(), texts.help());
    assertThat(optedOut()).isTrue();
  }

  @Test
  void helpThatTwilioAnsweredIsNotAnsweredAgain() {
    text("HELP", Map.of("OptOutType", "HELP"));
    assertThat(replies()).isEmpty();
  }

  @Test
  void whatTwilioSaysDecidesAndNotTheWords() {
    text("Ferma", Map.of("OptOutType", "STOP"));
    assertThat(optedOut()).isTrue();
    text("riparti", Map.of("OptOutType", "START"));
    assertThat(optedOut()).isFalse();
    text("STOP", Map.of("OptOutType", "HELP"));
    assertThat(optedOut()).isFalse();
    assertThat(replies()).isEmpty();
  }

  @Test
  void whatTwilioSaysOfATextByRcsHoldsForTheNumber() {
    var rcs = Map.of("From", "rcs:" + number, "To", "rcs:example_agent");
    text("hello", rcs);
    assertThat(sent().getLast().to()).isEqualTo("rcs:" + number);
    assertThat(sent().getLast().from()).isEqualTo("rcs:example_agent");
    text("make it personal");
    assertThat(sent().getLast().to()).as("by SMS again").isEqualTo(number);
    var before = replies().size();
    var stop = new HashMap<>(rcs);
    stop.put("OptOutType", "STOP");
    text("Ferma", stop);
    assertThat(optedOut()).isTrue();
    text("hello?");
    assertThat(replies()).hasSize(before);
    var start = new HashMap<>(rcs);
    start.put("OptOutType", "START");
    text("riparti", start);
    assertThat(optedOut()).isFalse();
  }

  @Test
  void anAnswerThatCannotReachThePhoneByRcsGoesOutAsAnSms() {
    var rcs = Map.of("From", "rcs:" + number, "To", "rcs:example_agent");
    twilio.otherwise(posted ->
        posted.to().equals("rcs:" + number)
            ? TwilioAnswer.fail(400, 63106)
            : TwilioAnswer.accept());
    text("make it personal", rcs);
    assertThat(replies()).hasSize(1);
    assertThat(sent().getLast().to()).isEqualTo(number);
    assertThat(sent().getLast().from()).isEqualTo(TwilioPhone.LINE_NUMBER);
    twilio.otherwise(posted -> TwilioAnswer.accept());
    text("while the coffee brews", rcs);
    twilio.callback(sent().getLast().sid(), "undelivered", 63003);
    await().until(() -> sent().getLast().to().equals(number) && replies().size() == 3);
    assertThat(
            line.rows(
                "SELECT error_code FROM outbox WHERE participant_id = ? AND status = 'undelivered'",
                robin.path("id").asText()))
        .hasSize(1);
  }

  @Test
  void aRevocationInFreeWordsIsConfirmedWithOneText() {
    text("please stop texting me");
    text("I said leave me alone");
    assertThat(optedOut()).isTrue();
    assertThat(replies()).containsExactly(texts.optOutConfirmation());
    assertThat(silence().getFirst()).contains("in their own words");
    text("START");
    assertThat(optedOut()).isFalse();
  }

  @Test
  void aStartDoesNotReviveWhoIsWithdrawn() {
    text("STOP");
    assertThat(line.send("PUT", at(), "{\"status\":\"withdrawn\"}").status()).isEqualTo(200);
    text("START");
    assertThat(line.get(at()).result().path("status").asText()).isEqualTo("withdrawn");
    assertThat(optedOut()).isTrue();
    text("hello");
    assertThat(replies()).isEmpty();
  }

  @Test
  void anErrorOfTheProviderThatSaysStopCountsUntilAStart() {
    twilioBlocks();
    text("make it personal");
    await().until(this::optedOut);
    assertThat(silence().getFirst()).contains("the provider refuses");
    twilio.otherwise(posted -> TwilioAnswer.accept());
    text("hello?");
    assertThat(replies()).isEmpty();
    text("START");
    assertThat(optedOut()).isFalse();
    text("make it personal");
    assertThat(replies()).hasSize(1);
  }

  @Test
  void aReportThatSaysStopCountsUntilAStart() {
    twilio.callback(sent().getFirst().sid(), "undelivered", 21610);
    assertThat(optedOut()).isTrue();
    text("hello?");
    assertThat(replies()).isEmpty();
    text("Yes");
    assertThat(optedOut()).isFalse();
  }

  @Test
  void aStartThatTwilioDoesNotKnowLiftsNoBlockOfTwilios() {
    text("STOP", Map.of("OptOutType", "STOP"));
    twilioBlocks();
    assertThat(today()).doesNotContain(at());
    text("¡Reanudar!");
    assertThat(optedOut()).isTrue();
    assertThat(silence().getFirst()).contains(BLOCKED);
    assertThat(today()).contains(BLOCKED, robin.path("id").asText());
    assertThat(line.get("/").response().body()).contains("Blocked by Twilio");
    text("make it personal");
    assertThat(replies()).isEmpty();

    text("STOP", Map.of("OptOutType", "STOP"));
    assertThat(today()).as("they changed their mind").doesNotContain(robin.path("id").asText());
    assertThat(silence().getFirst()).doesNotContain(BLOCKED);

    text("alta");
    twilio.otherwise(posted -> TwilioAnswer.accept());
    text("START");
    assertThat(optedOut()).isFalse();
    assertThat(today()).doesNotContain(robin.path("id").asText());
    text("make it personal");
    assertThat(replies()).hasSize(1);
  }

  @Test
  void aBlockThatOnlyARefusalTellsOfIsShownToStaffWhenTheyAskedForMessagesBefore() {
    text("STOP");
    twilioBlocks();
    text("alta");
    assertThat(optedOut()).as("Twilio has not said that it blocks the number").isFalse();
    text("make it personal");
    await().until(this::optedOut);
    assertThat(silence().getFirst()).contains(BLOCKED);
    assertThat(today()).contains(robin.path("id").asText());
    text("empezar");
    assertThat(optedOut()).isTrue();
    assertThat(replies()).isEmpty();
    twilio.otherwise(posted -> TwilioAnswer.accept());
    text("riparti", Map.of("OptOutType", "START"));
    assertThat(optedOut()).isFalse();
    assertThat(today()).doesNotContain(robin.path("id").asText());
  }

  @Test
  void aSpanishStartLiftsAnOptOutThatTwilioKnowsNothingOf() {
    text("no me escribas más");
    assertThat(optedOut()).isTrue();
    text("Alta");
    assertThat(optedOut()).isFalse();
    text("make it personal");
    assertThat(replies()).hasSize(2);
  }

  @Test
  void aStopOfAStrangerHoldsWhenTheyAreEnrolledAndTheirStartTakesItBackBefore() {
    var stays = newNumber();
    phone.text(stays, "STOP");
    var left = line.enrol(Map.of("phone_number", stays)).result();
    assertThat(left.path("opted_out").asBoolean()).isTrue();
    assertThat(left.path("warnings").toString()).contains("opted out with STOP");
    assertThat(
            line.get(RestLine.PARTICIPANTS + "/" + left.path("id").asText() + "/silence")
                .result()
                .findValuesAsText("sentence")
                .getFirst())
        .contains("they asked in a text sent before this number was enrolled");

    var returns = newNumber();
    phone.text(returns, "STOP");
    var start = phone.sms(returns, "START");
    start.post();
    phone.text(returns, "STOP");
    start.post();
    assertThat(line.enrol(Map.of("phone_number", returns)).result().path("opted_out").asBoolean())
        .as("a START that is repeated counts once")
        .isTrue();

    var back = newNumber();
    phone.text(back, "STOP");
    phone.text(back, "START");
    assertThat(line.enrol(Map.of("phone_number", back)).result().path("opted_out").asBoolean())
        .isFalse();
    assertThat(sentTo(stays)).isEmpty();
  }
}
