package org.habitline.staff.prompts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.habitline.RestLine.PARTICIPANTS;
import static org.habitline.RestLine.write;
import static org.habitline.staff.prompts.ScriptLine.number;
import static org.habitline.staff.prompts.ScriptLine.prompt;
import static org.habitline.staff.prompts.ScriptLine.receiver;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.habitline.RestLine.Answer;
import org.habitline.Rows;
import org.habitline.llm.openai.Scripted;
import org.habitline.messaging.Delivery;
import org.habitline.messaging.DeliveryReport;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.messaging.inbox.Acceptance;
import org.habitline.messaging.outbox.DeliveryReports;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Scripts text people, enrolled or not, in the words of the Go original. */
final class PromptApiTest {

  private static ScriptLine line;

  @BeforeAll
  static void start() {
    line = ScriptLine.at(PromptApiTest.class, "2026-11-21T07:15:00Z");
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  @AfterEach
  void forget() {
    line.settle();
    line.fake().otherwise(asked -> Scripted.say("All right."));
    assertThat(line.fake().violations()).isEmpty();
    line.fake().forget();
  }

  private static Answer ok(Answer answer) {
    assertThat(answer.status()).as(answer.body().toString()).isEqualTo(200);
    return answer;
  }

  private static Object[] options(int count) {
    return new Object[] {
      "type",
      "branch",
      "body",
      "How was it?",
      "branch_options",
      IntStream.rangeClosed(1, count)
          .mapToObj(
              i -> Map.of("label", "Label " + "abcdefghij".charAt(i - 1), "body", "Body " + i))
          .toList()
    };
  }

  private static List<String> authors(String id) {
    return line.column(
        "SELECT concat(author, ': ', content) FROM message WHERE participant_id = ? ORDER BY seq",
        id);
  }

  private static List<Map<String, Object>> audited(String id) {
    return line.rest()
        .rows(
            "SELECT actor, action, subject, old_value, new_value FROM audit_event WHERE participant_id = ?"
                + " ORDER BY seq",
            id);
  }

  private static List<String> unclaimed(String number) {
    return line.column("SELECT body FROM unclaimed_text WHERE sender = ? ORDER BY seq", number);
  }

  // Texts at once

  @Test
  void aStaticPromptIsAnsweredAsInTheOriginalAndSent() {
    var to = number();
    var answer = ok(line.send(to, "body", "Hello there."));
    assertThat(answer.response().body())
        .isEqualTo("{\"status\":\"ok\",\"message\":\"Message sent successfully\"}");
    assertThat(line.texts(to)).containsExactly("Hello there.");
    assertThat(line.receipts(to)).containsExactly("sent");
    assertThat(audited(receiver(answer)))
        .singleElement()
        .satisfies(
            entry -> assertThat(entry).containsEntry("action", "prompt sent"),
            entry -> assertThat(entry).containsEntry("new_value", "static, 12 characters"));
  }

  @Test
  void whomOnlyScriptsTextGetsNoDebugMessage() {
    var to = number();
    line.rest().send("PUT", "/debug", "{\"enabled\":true,\"minutes\":5,\"reason\":\"a test\"}");
    ok(line.send(to, "body", "Hello there."));
    line.settle();
    line.rest().send("PUT", "/debug", "{\"enabled\":false}");
    assertThat(line.texts(to)).containsExactly("Hello there.");
  }

  @Test
  void aNumberMayComeWithoutItsPlusSign() {
    var to = number();
    ok(line.send(to.substring(1), "type", "static", "body", "One."));
    ok(line.send("(206) 557-" + to.substring(8), "body", "Two."));
    assertThat(line.texts(to)).containsExactly("One.", "Two.");
    var odd = line.enrolled("+1234567890");
    ok(line.send("1234567890", "body", "Three."));
    assertThat(line.texts("+1234567890")).contains("Three.");
    assertThat(authors(odd.path("id").asText())).contains("staff: Three.");
  }

  @Test
  void whoeverIsOnlyTextedIsInNoListAndNoCount() {
    var before = line.rest().get("/health").body().path("active_participants").asInt();
    var to = number();
    var id = receiver(ok(line.send(to, "body", "Hello.")));
    assertThat(line.texts(to)).hasSize(1);
    assertThat(line.rest().get("/health").body().path("active_participants").asInt())
        .isEqualTo(before);
    assertThat(line.rest().get(PARTICIPANTS + "?limit=200").response().body()).doesNotContain(id);
    for (var path : List.of("", "/history", "/state", "/deliveries", "/turns")) {
      assertThat(line.rest().get(PARTICIPANTS + "/" + id + path).status()).isEqualTo(404);
    }
    assertThat(line.rest().send("PUT", PARTICIPANTS + "/" + id, "{\"name\":\"X\"}").status())
        .isEqualTo(404);
  }

  @Test
  void aTextOfSomebodyWhoIsOnlyTextedStaysUnclaimedAndIsAResponse() {
    var to = number();
    ok(line.send(to, "body", "How are you?"));
    line.settle();
    assertThat(line.says(to, "Fine, thanks")).isInstanceOf(Acceptance.UnknownSender.class);
    assertThat(unclaimed(to)).containsExactly("Fine, thanks");
    assertThat(line.responses(to)).containsExactly("Fine, thanks");
    assertThat(line.texts(to)).hasSize(1);
  }

  @Test
  void aParticipantIsTextedInTheirConversationAndTheModelKnows() {
    var robin = line.enrolled();
    var id = robin.path("id").asText();
    var to = robin.path("phone_number").asText();
    assertThat(receiver(ok(line.send(to, "body", "Drink some water.")))).isEqualTo(id);
    assertThat(line.texts(to)).endsWith("Drink some water.");
    assertThat(authors(id)).endsWith("staff: Drink some water.");
    line.hears(to, "I did");
    assertThat(line.fake().asked().getLast().texts("assistant")).contains("Drink some water.");
    assertThat(line.responses(to)).containsExactly("I did");
    assertThat(line.texts(to)).endsWith("All right.");
  }

  @Test
  void receiptsFollowTheProvider() {
    var to = number();
    ok(line.send(to, "body", "Delivered?"));
    ok(line.send(to, "body", "Failed?"));
    line.settle();
    reported("Delivered?", "delivered", DeliveryStatus.DELIVERED);
    reported("Failed?", "undelivered", DeliveryStatus.UNDELIVERED);
    assertThat(line.receipts(to)).containsExactly("delivered", "failed");
    reported("Delivered?", "read", DeliveryStatus.READ);
    assertThat(line.receipts(to)).containsExactly("read", "failed");
    var page = line.rest().get("/receipts?limit=1");
    assertThat(page.result()).hasSize(1);
    assertThat(page.result().get(0).path("time").isIntegralNumber()).isTrue();
    var cursor = page.body().path("next_cursor").asText();
    assertThat(line.rest().get("/receipts?limit=1&cursor=" + cursor).result().get(0).path("status"))
        .hasToString("\"read\"");
  }

  private static void reported(String body, String status, DeliveryStatus rank) {
    var id = line.column("SELECT provider_id FROM outbox WHERE body = ?", body).getFirst();
    line.rest()
        .bean(DeliveryReports.class)
        .accept(new DeliveryReport(id, status, rank, null, null));
  }

  @Test
  void whatTheProviderRefusesFailed() {
    var to = number();
    var id = receiver(ok(line.send(to, "body", "One.")));
    line.settle();
    line.sms().then(contact(id), message -> new Delivery.Refused("no such number"));
    ok(line.send(to, "body", "Two."));
    line.settle();
    assertThat(line.receipts(to)).containsExactly("sent", "failed");
  }

  private static Participant contact(String id) {
    return line.rest().bean(Participants.class).findWithContacts(id).orElseThrow();
  }

  // Choices

  private static Stream<Arguments> choices() {
    return Stream.of(
        Arguments.of("1", "Body 1"),
        Arguments.of("label B", "Body 2"),
        Arguments.of(" (3) ", "Body 3"),
        Arguments.of("#9.", "Body 9"),
        Arguments.of("10", "Body 10"),
        Arguments.of("LABEL  J!", "Body 10"));
  }

  @ParameterizedTest
  @MethodSource("choices")
  void aChoiceIsMadeByNumberOrLabel(String reply, String body) {
    var to = number();
    ok(line.send(to, options(10)));
    assertThat(line.texts(to).getLast())
        .startsWith("How was it?\n1. Label a\n2. Label b\n")
        .endsWith("10. Label j");
    line.hears(to, reply);
    assertThat(line.texts(to)).hasSize(2).endsWith(body);
    assertThat(line.responses(to)).containsExactly(reply);
    assertThat(unclaimed(to)).isEmpty();
    assertThat(line.receipts(to)).containsExactly("sent", "sent");
    line.hears(to, reply);
    assertThat(line.texts(to)).hasSize(2);
    assertThat(unclaimed(to)).containsExactly(reply);
  }

  @Test
  void twoChoicesOfTheSameMomentAreToldOnce() {
    var to = number();
    ok(line.send(to, options(3)));
    line.settle();
    line.says(to, "1");
    line.says(to, "2");
    assertThat(line.texts(to)).hasSize(2);
    assertThat(line.responses(to)).containsExactly("1", "2");
  }

  @Test
  void whatIsNoChoiceLeavesItOpen() {
    var to = number();
    ok(line.send(to, options(2)));
    line.settle();
    line.hears(to, "3");
    line.hears(to, "what?");
    assertThat(line.texts(to)).hasSize(1);
    assertThat(unclaimed(to)).containsExactly("3", "what?");
    line.hears(to, "2");
    assertThat(line.texts(to)).endsWith("Body 2");
  }

  @Test
  void aParticipantsChoiceIsAnsweredBeforeAnyModelIsAsked() {
    var robin = line.enrolled();
    var to = robin.path("phone_number").asText();
    ok(line.send(to, options(10)));
    line.settle();
    line.hears(to, "10");
    assertThat(line.fake().asked()).isEmpty();
    assertThat(line.texts(to)).endsWith("Body 10");
    assertThat(authors(robin.path("id").asText())).endsWith("participant: 10", "staff: Body 10");
    line.hears(to, "10");
    assertThat(line.fake().asked()).hasSize(1);
    assertThat(line.responses(to)).containsExactly("10", "10");
  }

  // Texts by a model

  @Test
  void aModelWritesFromTheScriptsOwnPrompts() {
    line.fake().then(Scripted.say(" A haiku. "));
    var to = number();
    ok(line.send(to, "type", "genai", "system_prompt", "You write.", "user_prompt", "A haiku!"));
    assertThat(line.texts(to)).containsExactly("A haiku.");
    var asked = line.fake().asked().getFirst();
    assertThat(asked.texts("system")).containsExactly("You write.");
    assertThat(asked.texts("user")).containsExactly("A haiku!");
    assertThat(asked.hasTools()).isFalse();
  }

  @Test
  void aModelThatGivesNoTextIsA500AndNothingIsSent() {
    var to = number();
    line.fake().then(Scripted.refusal("I would rather not."));
    var answer =
        line.send(to, "type", "genai", "system_prompt", "You write.", "user_prompt", "A haiku!");
    assertThat(answer.status()).isEqualTo(500);
    assertThat(answer.body().path("status").asText()).isEqualTo("error");
    assertThat(answer.message())
        .isEqualTo("The text could not be generated and nothing was sent: the model declined.");
    assertThat(line.texts(to)).isEmpty();
    assertThat(line.receipts(to)).isEmpty();
    assertThat(line.column("SELECT id FROM address WHERE phone = ?", to)).isEmpty();
  }

  @Test
  void theCoachBringsUpWhatAScriptAsksFor() {
    var robin = line.enrolled();
    var to = robin.path("phone_number").asText();
    line.fake().then(Scripted.say("How about a walk?"));
    ok(line.send(to, "type", "conversation", "user_prompt", "Suggest a walk."));
    assertThat(line.texts(to)).endsWith("How about a walk?");
    var asked = line.fake().asked().getFirst();
    assertThat(asked.hasTools()).isTrue();
    assertThat(asked.event()).startsWith("Staff ask you").endsWith("Suggest a walk.");
    assertThat(authors(robin.path("id").asText()))
        .endsWith("bot: How about a walk?")
        .noneMatch(said -> said.contains("Suggest a walk."));
    assertThat(line.receipts(to)).containsExactly("sent");
  }

  @Test
  void whoeverIsNotEnrolledIsTextedByTheCoachWithoutTools() {
    var to = number();
    line.fake().then(Scripted.say("Hello from the coach."));
    ok(line.send(to, "type", "conversation", "user_prompt", "Say hello."));
    assertThat(line.texts(to)).containsExactly("Hello from the coach.");
    var asked = line.fake().asked().getFirst();
    assertThat(asked.hasTools()).isFalse();
    assertThat(asked.texts("system")).hasSize(1);
    assertThat(asked.event()).endsWith("Say hello.");
  }

  @Test
  void aConversationWhoseModelFailsSendsNothingAndFailed() {
    var to = line.enrolled().path("phone_number").asText();
    var before = line.texts(to);
    line.fake().then(Scripted.refusal("No."));
    ok(line.send(to, "type", "conversation", "user_prompt", "Suggest a walk."));
    assertThat(line.texts(to)).isEqualTo(before);
    assertThat(line.receipts(to)).containsExactly("failed");
  }

  @Test
  void aPromptThatTheDatabaseRefusesFailed() {
    var to = line.enrolled().path("phone_number").asText();
    var before = line.texts(to);
    Rows.of(line.rest())
        .refusing(
            "message",
            "content = 'Refused.'",
            () -> {
              ok(line.send(to, "body", "Refused."));
              assertThat(line.texts(to)).isEqualTo(before);
            });
    assertThat(line.receipts(to)).containsExactly("failed");
  }

  @Test
  void aPersonalPromptIsWrittenFromAProfile() {
    var robin = line.enrolled();
    var to = robin.path("phone_number").asText();
    var early = line.send(to, "type", "custom");
    assertThat(early.status()).isEqualTo(400);
    assertThat(early.message()).contains("prompt_anchor").contains("preferred_time");
    line.fake()
        .then(
            Scripted.call(
                "save_user_profile",
                "{\"prompt_anchor\":\"while the coffee brews\",\"preferred_time\":\"9:30\"}"),
            Scripted.say("Saved."));
    line.hears(to, "with coffee, at 9:30");
    line.fake().then(Scripted.say("After coffee, stretch — it wakes you."));
    ok(line.send(to, "type", "custom", "user_prompt", "mention the weather"));
    assertThat(line.texts(to)).endsWith("After coffee, stretch — it wakes you.");
    assertThat(line.fake().asked().getLast().event()).contains("mention the weather");
    assertThat(
            line.column(
                "SELECT data_value FROM state_data WHERE participant_id = ? AND data_key = 'lastHabitPrompt'",
                robin.path("id").asText()))
        .containsExactly("After coffee, stretch — it wakes you.");
  }

  // What is refused

  private static Map<String, Object> without(Map<String, Object> prompt, String field) {
    var less = new LinkedHashMap<>(prompt);
    less.remove(field);
    return less;
  }

  private static Map<String, Object> branch(Object... labelled) {
    var given = new ArrayList<Map<String, Object>>();
    for (var label : labelled) {
      given.add(Map.of("label", label, "body", "x"));
    }
    return prompt("+12065570000", "type", "branch", "branch_options", given);
  }

  private static Stream<Arguments> refused() {
    var to = "+12065570000";
    return Stream.of(
        Arguments.of(without(prompt(to, "body", "x"), "to"), "to: missing"),
        Arguments.of(prompt("call me", "body", "x"), "to: not a phone number"),
        Arguments.of(prompt("12345", "body", "x"), "to: not a phone number"),
        Arguments.of(prompt(to, "type", "poem"), "type: unknown"),
        Arguments.of(prompt(to), "body: missing"),
        Arguments.of(prompt(to, "body", "  "), "body: missing"),
        Arguments.of(prompt(to, "body", "x".repeat(4097)), "body: too long"),
        Arguments.of(prompt(to, "body", "a\u0000b"), "body: contains control characters"),
        Arguments.of(prompt(to, "body", 5), ""),
        Arguments.of(prompt(to, "body", "x", "unknown", "y"), ""),
        Arguments.of(prompt(to, "type", "genai", "user_prompt", "x"), "system_prompt: missing"),
        Arguments.of(prompt(to, "type", "genai", "system_prompt", "x"), "user_prompt: missing"),
        Arguments.of(prompt(to, "type", "conversation"), "user_prompt: missing"),
        Arguments.of(prompt(to, "type", "custom"), "to: no participant has this number"),
        Arguments.of(prompt(to, "type", "branch"), "branch_options: expected 2 to 10"),
        Arguments.of(branch("one"), "branch_options: expected 2 to 10"),
        Arguments.of(
            branch("abcdefghijk".chars().mapToObj(c -> "" + (char) c).toArray()),
            "branch_options: expected"),
        Arguments.of(branch("one", "ONE!"), "branch_options[1].label: another option"),
        Arguments.of(branch("2", "1"), "branch_options[0].label: this is the number of another"),
        Arguments.of(branch("go on", "stop"), "branch_options[1].label: the service reads"),
        Arguments.of(branch("a", "x".repeat(101)), "branch_options[1].label: too long"),
        Arguments.of(
            prompt(to, "type", "branch", "branch_options", Arrays.asList(null, Map.of())),
            "branch_options[0]: expected an object"),
        Arguments.of(
            prompt(to, "type", "branch", "branch_options", List.of(Map.of("label", "a"), Map.of())),
            "branch_options[0].body: missing"));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void whatIsNotAcceptedIsA400WithASentence(Map<String, Object> prompt, String sentence) {
    for (var path : List.of("/send", "/schedule")) {
      var body = new LinkedHashMap<>(prompt);
      body.put("schedule", Map.of("minute", 5));
      var answer = line.rest().send("POST", path, write(body));
      assertThat(answer.status()).as(answer.body().toString()).isEqualTo(400);
      assertThat(answer.message()).startsWith(sentence).isNotEmpty();
    }
    assertThat(line.column("SELECT id FROM address WHERE phone = '+12065570000'")).isEmpty();
  }

  @Test
  void sendIgnoresTheSchedule() {
    var to = number();
    ok(line.send(to, "body", "x", "schedule", Map.of("minute", 99)));
    assertThat(line.texts(to)).containsExactly("x");
  }

  @Test
  void whatTheScriptsOfTheOriginalSendIsAnsweredAsTheyExpect() {
    var robin = line.enrolled("+15551234567").path("id").asText();
    line.rest()
        .send(
            "PUT",
            "/conversation/participants/" + robin + "/profile",
            "{\"prompt_anchor\":\"coffee\",\"preferred_time\":\"9:30\"}");
    var to = "{\"to\": \"15551234567\", \"body\": \"Custom flow message\", ";
    var at = "\"schedule\": {\"hour\": 12, \"minute\": 0}";
    var from = "{\"from\": \"15557654321\", ";
    var said = from + "\"body\": \"Emoji 😊 and special chars: @#$%\", ";
    for (var call :
        List.of(
            List.of(
                "POST",
                "/schedule",
                to + "\"type\": \"custom\", \"state\": \"initial\", " + at + "}",
                "201"),
            List.of("POST", "/send", to + "\"type\": \"static\", \"state\": \"initial\"}", "200"),
            List.of("POST", "/send", to + "\"type\": \"invalid_type\", \"state\": \"\"}", "400"),
            List.of("POST", "/send", "{\"invalid\": json}", "400"),
            List.of("GET", "/send", "", "405"),
            List.of("GET", "/schedule", "", "405"),
            List.of("POST", "/response", said + "\"time\": 1763712900}", "201"),
            List.of("POST", "/response", said + "\"time\": null}", "201"),
            List.of("POST", "/response", said + "\"time\": \"invalid-time\"}", "400"),
            List.of("POST", "/response", from + "\"body\": \"\", \"time\": 1763712900}", "400"),
            List.of("POST", "/response", "{\"body\": \"x\", \"time\": 1763712900}", "400"),
            List.of("POST", "/responses", "", "405"),
            List.of("POST", "/stats", "", "405"),
            List.of("POST", "/receipts", "", "405"),
            List.of("DELETE", "/receipts", "", "405"))) {
      var answer = line.rest().send(call.get(0), call.get(1), call.get(2));
      assertThat(answer.status())
          .as("%s: %s", call, answer.body())
          .isEqualTo(Integer.parseInt(call.get(3)));
      assertThat(answer.body().path("status").asText())
          .isEqualTo(answer.status() < 400 ? "ok" : "error");
    }
    assertThat(line.rest().get("/responses").result().get(0).path("time").asLong())
        .as("the line's own time, not the one sent")
        .isEqualTo(line.now().getEpochSecond());
  }

  @Test
  void nobodyIsTextedWhoSaidStop() {
    var to = number();
    ok(line.send(to, "body", "Hello."));
    line.settle();
    line.hears(to, "STOP");
    var answer = line.send(to, "body", "Hello again.");
    assertThat(answer.status()).isEqualTo(409);
    assertThat(answer.message()).contains("opted out with STOP");
    assertThat(line.schedule(to, "body", "x", "schedule", Map.of()).status()).isEqualTo(409);
    var stranger = number();
    line.hears(stranger, "STOP");
    var genai = line.send(stranger, "type", "genai", "system_prompt", "x", "user_prompt", "y");
    assertThat(genai.status()).isEqualTo(409);
    assertThat(line.fake().asked()).isEmpty();
    line.hears(to, "START");
    ok(line.send(to, "body", "Back."));
    assertThat(line.texts(to)).containsExactly("Hello.", "Back.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"paused", "completed", "withdrawn"})
  void nobodyIsTextedWhoIsNotActive(String status) {
    var robin = line.enrolled();
    line.rest()
        .send(
            "PUT", PARTICIPANTS + "/" + robin.path("id").asText(), write(Map.of("status", status)));
    var answer = line.send(robin.path("phone_number").asText(), "body", "Hello.");
    assertThat(answer.status()).isEqualTo(409);
    assertThat(answer.message()).contains(status);
  }

  @Test
  void onlyStaffMayTextPeople() {
    var researcher = line.rest().key("prompt-researcher", "researcher");
    var staff = line.rest().key("prompt-staff", "staff");
    var body = write(prompt(number(), "body", "Hello."));
    assertThat(line.rest().sendAs(researcher, "POST", "/send", body).status()).isEqualTo(403);
    assertThat(line.rest().sendAs("", "POST", "/send", body).status()).isEqualTo(401);
    assertThat(line.rest().sendAs(staff, "POST", "/send", body).status()).isEqualTo(200);
  }

  // Idempotency

  @Test
  void aRepeatedRequestIsCarriedOutOnce() {
    var to = number();
    var body = write(prompt(to, "type", "genai", "system_prompt", "x", "user_prompt", "y"));
    var first = ok(line.rest().send("POST", "/send", body, "Idempotency-Key", "prompt-1"));
    var second = ok(line.rest().send("POST", "/send", body, "Idempotency-Key", "prompt-1"));
    assertThat(second.response().headers().firstValue("Idempotent-Replay")).contains("true");
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(line.fake().asked()).hasSize(1);
    assertThat(line.texts(to)).hasSize(1);
    var other = write(prompt(to, "body", "Another."));
    assertThat(line.rest().send("POST", "/send", other, "Idempotency-Key", "prompt-1").status())
        .isEqualTo(422);
    assertThat(line.rest().send("POST", "/send", other, "Idempotency-Key", " ").status())
        .isEqualTo(400);
    line.rest().send("DELETE", PARTICIPANTS + "/" + receiver(first), "");
    assertThat(line.rest().send("POST", "/send", body, "Idempotency-Key", "prompt-1").status())
        .isEqualTo(410);
  }

  @Test
  void aRequestThatFailedMayBeSentAgain() {
    var to = number();
    var body = write(prompt(to, "type", "genai", "system_prompt", "x", "user_prompt", "y"));
    line.fake().then(Scripted.refusal("No."));
    assertThat(line.rest().send("POST", "/send", body, "Idempotency-Key", "prompt-2").status())
        .isEqualTo(500);
    ok(line.rest().send("POST", "/send", body, "Idempotency-Key", "prompt-2"));
    assertThat(line.texts(to)).hasSize(1);
  }

  @Test
  void aRepeatedScheduleIsMadeOnce() {
    var body = write(prompt(number(), "body", "x", "schedule", Map.of("hour", 3, "minute", 0)));
    var first = line.rest().send("POST", "/schedule", body, "Idempotency-Key", "prompt-3");
    var second = line.rest().send("POST", "/schedule", body, "Idempotency-Key", "prompt-3");
    assertThat(first.status()).isEqualTo(201);
    assertThat(second.status()).isEqualTo(201);
    assertThat(second.result()).isEqualTo(first.result());
    // The same body means something else elsewhere.
    assertThat(line.rest().send("POST", "/send", body, "Idempotency-Key", "prompt-3").status())
        .isEqualTo(422);
  }

  // From contact to participant

  @Test
  void anEnrolmentTurnsAContactIntoTheParticipant() {
    var to = number();
    var id = receiver(ok(line.send(to, options(3))));
    line.settle();
    var other = line.enrolled();
    var robin = line.enrolled(to);
    assertThat(robin.path("id").asText()).isEqualTo(id);
    assertThat(line.texts(to)).hasSize(2).last().asString().endsWith("All right.");
    var newest = line.rest().get(PARTICIPANTS + "?limit=2").result();
    assertThat(newest.get(0).path("id").asText()).isEqualTo(id);
    assertThat(newest.get(1).path("id")).isEqualTo(other.path("id"));
    assertThat(line.rest().enrol(Map.of("phone_number", to)).status()).isEqualTo(409);
    line.hears(to, "label c");
    assertThat(line.texts(to)).endsWith("Body 3");
    line.hears(to, "hello");
    assertThat(line.fake().asked().getLast().texts("assistant")).contains("Body 3");
  }

  @Test
  void aNumberThatOnlyAScriptTextedCanBecomeAParticipants() {
    var contact = number();
    var id = receiver(ok(line.send(contact, "body", "Hello.")));
    line.settle();
    var robin = line.enrolled();
    var answer =
        line.rest()
            .send(
                "POST",
                PARTICIPANTS + "/" + robin.path("id").asText() + "/phone",
                write(Map.of("phone_number", contact)));
    assertThat(answer.status()).as(answer.body().toString()).isEqualTo(200);
    assertThat(line.column("SELECT id FROM participant WHERE id = ?", id)).isEmpty();
    ok(line.send(contact, "body", "For Robin."));
    line.settle();
    assertThat(authors(robin.path("id").asText())).endsWith("staff: For Robin.");
  }

  @Test
  void whatWasSaidFromANumberStaysWhenItBecomesAParticipants() {
    var contact = number();
    ok(line.send(contact, "body", "Hello."));
    line.settle();
    line.hears(contact, "who is this?");
    var robin = line.enrolled().path("id").asText();
    var answer =
        line.rest()
            .send(
                "POST",
                PARTICIPANTS + "/" + robin + "/phone",
                write(Map.of("phone_number", contact)));
    assertThat(answer.status()).as(answer.body().toString()).isEqualTo(200);
    assertThat(unclaimed(contact)).containsExactly("who is this?");
    assertThat(line.column("SELECT participant_id FROM prompt_response WHERE sender = ?", contact))
        .containsExactly(robin);
    var file = line.rest().get(PARTICIPANTS + "/" + robin + "/export").body();
    assertThat(file.path("unclaimed_texts").findValuesAsText("body"))
        .containsExactly("who is this?");
  }

  @Test
  void aTextThatIsClaimedLaterIsOneResponse() {
    var to = number();
    ok(line.send(to, "body", "Hello."));
    line.settle();
    line.hears(to, "who is this?");
    var seq = line.column("SELECT seq FROM unclaimed_text WHERE sender = ?", to).getFirst();
    var claimed = line.rest().send("POST", "/unclaimed/" + seq + "/claim", "{\"enrol\":true}");
    assertThat(claimed.status()).as(claimed.body().toString()).isBetween(200, 299);
    line.settle();
    assertThat(line.texts(to)).hasSize(2);
    assertThat(line.responses(to)).containsExactly("who is this?");
    line.hears(to, "who is this, please?");
    assertThat(line.responses(to)).containsExactly("who is this?", "who is this, please?");
  }

  @Test
  void anErasureLeavesWhatAnEarlierOwnerOfTheNumberSaid() {
    var number = number();
    var earlier = line.enrolled(number).path("id").asText();
    ok(line.send(number, "body", "Hello."));
    line.hears(number, "hi");
    var moved =
        line.rest()
            .send(
                "POST",
                PARTICIPANTS + "/" + earlier + "/phone",
                write(Map.of("phone_number", number())));
    assertThat(moved.status()).isEqualTo(200);
    line.rest().send("POST", "/response", write(Map.of("from", number, "body", "unknown")));
    var later = line.enrolled(number).path("id").asText();
    var file = line.rest().get(PARTICIPANTS + "/" + later + "/export").body();
    assertThat(file.path("prompt_responses").findValuesAsText("body")).containsExactly("unknown");
    assertThat(line.rest().send("DELETE", PARTICIPANTS + "/" + later, "").status())
        .isBetween(200, 299);
    line.settle();
    assertThat(line.column("SELECT id FROM participant WHERE id = ?", later)).isEmpty();
    assertThat(line.responses(number)).containsExactly("hi");
  }

  @Test
  void aFailedTextToSomebodyWhoIsNotEnrolledIsListedAndCounted() {
    var to = number();
    line.fake().then(Scripted.refusal("No."));
    var id = receiver(ok(line.send(to, "type", "conversation", "user_prompt", "Suggest a walk.")));
    line.settle();
    assertThat(line.rest().get("/today/failed").response().body())
        .contains("id=\"failed-" + id)
        .contains("not enrolled")
        .doesNotContain("/participants/" + id);
  }

  @Test
  void whoeverWasOnlyTextedCanBeErased() {
    var to = number();
    var id = receiver(ok(line.send(to, "body", "Hello.")));
    line.settle();
    line.schedule(to, "body", "x", "schedule", Map.of("hour", 3));
    line.hears(to, "hello?");
    var answer = line.rest().send("DELETE", PARTICIPANTS + "/" + id, "");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(line.texts(to)).hasSize(1);
    for (var table :
        List.of(
            "participant_state",
            "lease",
            "message",
            "outbox",
            "inbox",
            "turn",
            "wakeup",
            "state_data",
            "scripted_text",
            "prompt_schedule",
            "prompt_response")) {
      assertThat(
              line.column("SELECT participant_id FROM " + table + " WHERE participant_id = ?", id))
          .as(table)
          .isEmpty();
    }
    assertThat(line.column("SELECT id FROM participant WHERE id = ?", id)).isEmpty();
    assertThat(unclaimed(to)).isEmpty();
    assertThat(line.rest().send("DELETE", PARTICIPANTS + "/" + id, "").status()).isEqualTo(404);
  }

  // Responses

  @Test
  void aRecordedResponseIsListedAndCounted() {
    var from = number();
    var before = line.rest().get("/stats").result();
    var answer =
        line.rest().send("POST", "/response", write(Map.of("from", from, "body", "12345")));
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.response().body())
        .isEqualTo("{\"status\":\"ok\",\"message\":\"Response recorded successfully\"}");
    var listed = line.rest().get("/responses?limit=1");
    assertThat(listed.result().get(0).path("from").asText()).isEqualTo(from);
    assertThat(listed.result().get(0).path("body").asText()).isEqualTo("12345");
    assertThat(listed.result().get(0).path("time").asLong()).isEqualTo(line.now().getEpochSecond());
    JsonNode stats = line.rest().get("/stats").result();
    assertThat(stats.path("total_responses").asLong())
        .isEqualTo(before.path("total_responses").asLong() + 1);
    assertThat(stats.path("responses_per_sender").path(from).asInt()).isEqualTo(1);
    assertThat(stats.path("avg_response_length").asDouble()).isPositive();
    assertThat(line.texts(from)).isEmpty();
  }

  @Test
  void aResponseNeedsANumberAndAText() {
    for (var body :
        List.of("{}", "{\"from\":\"x\",\"body\":\"y\"}", "{\"from\":\"" + number() + "\"}")) {
      assertThat(line.rest().send("POST", "/response", body).status()).isEqualTo(400);
    }
    for (var path : List.of("/receipts", "/responses", "/timers")) {
      assertThat(line.rest().get(path + "?limit=0").status()).isEqualTo(400);
      assertThat(line.rest().get(path + "?cursor=x").status()).isEqualTo(400);
      assertThat(line.rest().get(path + "?other=x").status()).isEqualTo(400);
    }
  }

  @Test
  void whoeverTextsBackIsEnrolledIfThatIsWanted() {
    try (var open =
        ScriptLine.at(
            PromptApiTest.class, "2026-11-21T07:15:00Z", "auto-enroll.new-users", "true")) {
      var to = number();
      var id = receiver(ok(open.send(to, options(2))));
      open.settle();
      open.hears(to, "2");
      assertThat(open.texts(to)).hasSize(2).endsWith("Body 2");
      assertThat(open.rest().get(PARTICIPANTS + "/" + id).status()).isEqualTo(404);
      open.hears(to, "hello");
      assertThat(open.rest().get(PARTICIPANTS + "/" + id).status()).isEqualTo(200);
      assertThat(open.texts(to)).hasSize(3).endsWith("All right.");
      assertThat(open.responses(to)).containsExactly("2", "hello");
    }
  }
}
