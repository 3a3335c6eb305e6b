package org.habitline.staff.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micronaut.context.ApplicationContext;
import io.micronaut.security.authentication.Authentication;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.habitline.RestLine;
import org.habitline.RunningLine;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.Scripted.Call;
import org.habitline.llm.openai.StrictFakeServer;
import org.habitline.staff.web.Passes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The web chat, over real sockets; each message is answered as the protocol says. */
@Order(1)
final class ChatTest {

  private static final int POLICY_VIOLATION = 1008;
  private static final int GOING_AWAY = 1001;
  private static final int TRY_AGAIN_LATER = 1013;

  private static StrictFakeServer fake;
  private static RestLine line;

  @BeforeAll
  static void start() {
    fake = StrictFakeServer.start();
    line =
        RestLine.start(
            ChatTest.class,
            Map.of("openai.base-url", fake.baseUrl(), RestLine.STUDY, RunningLine.NO_GATES));
  }

  @AfterAll
  static void stop() {
    line.close();
    fake.close();
  }

  @AfterEach
  void theVendorsRulesWereKept() {
    assertThat(fake.violations()).isEmpty();
    fake.forget();
  }

  private static String greeted() {
    var id = line.enrolled().path("id").asText();
    awaitTurn(id, 1);
    fake.forget();
    return id;
  }

  private static void awaitTurn(String id, int turn) {
    await()
        .until(() ->
            !line.rows(
                    "SELECT number FROM turn WHERE participant_id = ? AND number = ? AND status <>"
                        + " 'running'",
                    id,
                    turn)
                .isEmpty());
  }

  private static String tokens(String id) {
    return RestLine.PARTICIPANTS + "/" + id + "/tokens";
  }

  private static String token(String id) {
    var answer = line.send("POST", tokens(id), "");
    assertThat(answer.status()).as(answer.message()).isEqualTo(201);
    return answer.result().path("token").asText();
  }

  private static ChatClient chat(String id) {
    return ChatClient.open(line.url(), token(id));
  }

  @Test
  void aTextIsAnsweredInTokensThatAddUpAndOneComplete() {
    var id = greeted();
    try (var chat = chat(id)) {
      fake.then(Scripted.say("After coffee, walk ten steps. Ready?"));
      chat.say(id, "hello");
      chat.awaitType("complete", 1);
      assertThat(chat.text()).isEqualTo("After coffee, walk ten steps. Ready?");
      assertThat(chat.types()).containsOnly("token", "complete").endsWith("complete");
      assertThat(chat.messages().getLast().path("conversation_id").asText()).isEqualTo(id);
      assertThat(fake.asked().getLast().streams()).isTrue();

      fake.then(Scripted.say("Good."));
      chat.say(id, "yes");
      chat.awaitType("complete", 2);
      assertThat(chat.text()).isEqualTo("Good.");
    }
  }

  @Test
  void tokensComeBeforeTheReplyIsWholeAndCompleteAfterTheCommit() {
    var id = greeted();
    var latch = new CountDownLatch(1);
    try (var chat = ChatClient.openByQuery(line.url(), token(id))) {
      fake.then(Scripted.say("one two three four five six").heldMidway(latch));
      chat.say(id, "count");
      chat.awaitType("token", 1);
      assertThat(chat.types()).doesNotContain("complete");
      latch.countDown();
      chat.awaitType("complete", 1);
      assertThat(line.rows("SELECT * FROM message WHERE participant_id = ?", id)).hasSize(3);
      assertThat(chat.text()).isEqualTo("one two three four five six");
    }
  }

  @Test
  void toolCallsAreToldAndTextBesideThemIsTakenBack() {
    var id = greeted();
    try (var chat = chat(id)) {
      fake.then(
          Scripted.textAndCalls(
              "Let me write that down.",
              new Call("c1", "save_user_profile", "{\"prompt_anchor\":\"coffee\"}")),
          Scripted.say("Coffee it is."));
      chat.say(id, "coffee");
      chat.awaitType("complete", 1);
      assertThat(chat.types())
          .containsSubsequence("token", "reset", "tool_start", "token", "complete")
          .contains("tool_complete");
      assertThat(chat.text()).isEqualTo("Coffee it is.");
      var start = of(chat, "tool_start");
      assertThat(start.path("tool_name").asText()).isEqualTo("save_user_profile");
      assertThat(start.at("/tool_input/prompt_anchor").asText()).isEqualTo("coffee");
      assertThat(start.path("source").asText()).isEqualTo("local");
      var complete = of(chat, "tool_complete");
      assertThat(complete.at("/tool_result/status").asText()).isEqualTo("success");
      assertThat(complete.path("source").asText()).isEqualTo("local");
    }
  }

  private static com.fasterxml.jackson.databind.JsonNode of(ChatClient chat, String type) {
    return chat.messages().stream()
        .filter(message -> message.path("type").asText().equals(type))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aFailedTurnEndsWithAnErrorAfterTheFlowsOwnText() {
    var id = greeted();
    try (var chat = chat(id)) {
      fake.then(Scripted.error(401, "no", "invalid_api_key"));
      chat.say(id, "hello");
      chat.awaitType("error", 1);
      assertThat(of(chat, "error").path("code").asText()).isEqualTo("INTERNAL_ERROR");
      assertThat(chat.types()).doesNotContain("complete");
      assertThat(chat.text()).isNotBlank();
    }
  }

  @Test
  void aTextThatNobodyAskedForFailsInSilence() {
    var id = greeted();
    try (var chat = chat(id)) {
      fake.then(Scripted.say("Hello."));
      chat.say(id, "hello");
      chat.awaitType("complete", 1);
      chat.forget();
      fake.then(Scripted.refusal("No."));
      line.send(
          "POST",
          "/send",
          RestLine.write(
              Map.of("to", phone(id), "type", "conversation", "user_prompt", "Suggest a walk.")));
      awaitTurn(id, 3);
      assertThat(line.rows("SELECT status FROM turn WHERE participant_id = ? AND number = 3", id))
          .hasToString("[{status=failed}]");
      fake.then(Scripted.say("Still here."));
      chat.say(id, "are you there?");
      chat.awaitType("complete", 1);
      assertThat(chat.types()).doesNotContain("error");
    }
  }

  private static String phone(String id) {
    return line.get(RestLine.PARTICIPANTS + "/" + id).result().path("phone_number").asText();
  }

  @Test
  void whatTheLineSaysByItselfReachesTheChat() {
    var id = greeted();
    try (var chat = chat(id)) {
      // Only to know that the chat is there.
      chat.say(id, "hello");
      chat.awaitType("complete", 1);
      fake.then(Scripted.say("I heard you by another road."));
      line.send(
          "POST", "/simulator/" + id + "/texts", RestLine.write(Map.of("text", "from my phone")));
      chat.awaitType("complete", 2);
      assertThat(chat.text()).isEqualTo("I heard you by another road.");
    }
  }

  @Test
  void whatStaffWriteReachesTheChatWhole() {
    var id = greeted();
    try (var chat = chat(id)) {
      chat.send("are you there?");
      chat.awaitType("error", 1);
      chat.forget();
      var written =
          line.send(
              "POST",
              RestLine.PARTICIPANTS + "/" + id + "/messages",
              RestLine.write(Map.of("text", "This is Ada from the study.")));
      assertThat(written.status()).as(written.message()).isBetween(200, 299);
      chat.awaitType("complete", 1);
      assertThat(chat.types()).containsExactly("token", "complete");
      assertThat(chat.text()).isEqualTo("This is Ada from the study.");
    }
  }

  @Test
  void twoParticipantsChatAtTheSameTimeAndEachHearsOnlyTheirOwn() {
    var ada = greeted();
    var bob = greeted();
    var held = new CountDownLatch(1);
    fake.otherwise(asked -> Scripted.say("I heard " + asked.lastUserText()).heldBy(held));
    try (var adas = chat(ada);
        var bobs = chat(bob)) {
      adas.say(ada, "this is Ada");
      bobs.say(bob, "this is Bob");
      await().until(() -> fake.asked().size() == 2);
      held.countDown();
      adas.awaitType("complete", 1);
      bobs.awaitType("complete", 1);
      assertThat(adas.text()).isEqualTo("I heard this is Ada");
      assertThat(bobs.text()).isEqualTo("I heard this is Bob");
      assertThat(adas.messages().getLast().path("conversation_id").asText()).isEqualTo(ada);
      assertThat(bobs.messages().getLast().path("conversation_id").asText()).isEqualTo(bob);
    } finally {
      fake.otherwise(asked -> Scripted.say("All right."));
    }
  }

  /** The chat itself is not told again; the conversation goes on with it, and so can a client. */
  @Test
  void whatWasSaidWhileTheChatWasAwayIsPartOfTheConversation() {
    var id = greeted();
    try (var chat = chat(id)) {
      chat.leave();
      chat.awaitClosed();
    }
    fake.then(Scripted.say("Walk ten steps."));
    line.send(
        "POST", "/simulator/" + id + "/texts", RestLine.write(Map.of("text", "from my phone")));
    awaitTurn(id, 2);
    try (var chat = chat(id)) {
      fake.then(Scripted.say("As I said, ten steps."));
      chat.say(id, "what did you say?");
      chat.awaitType("complete", 1);
      assertThat(chat.text()).isEqualTo("As I said, ten steps.");
    }
    assertThat(fake.asked().getLast().messages())
        .extracting(message -> message.path("content").asText())
        .endsWith("from my phone", "Walk ten steps.", "what did you say?");
    assertThat(line.get(RestLine.PARTICIPANTS + "/" + id + "/history").result())
        .extracting(message -> message.path("content").asText())
        .contains("from my phone", "Walk ten steps.");
  }

  @Test
  void aSilentTurnIsCompleteToo() {
    var id = greeted();
    try (var chat = chat(id)) {
      chat.say(id, "STOP");
      chat.awaitType("complete", 1);
      assertThat(chat.types()).containsExactly("complete");
    }
  }

  @Test
  void theSameIdAgainIsTheSameMessage() {
    var id = greeted();
    try (var chat = chat(id)) {
      var message =
          ChatClient.json(
              Map.of("type", "message", "conversation_id", id, "content", "hello", "id", "m-1"));
      chat.send(message);
      chat.awaitType("complete", 1);
      chat.send(message);
      chat.say(id, "and now");
      chat.awaitType("complete", 2);
      assertThat(line.rows("SELECT body FROM inbox WHERE participant_id = ? AND kind = 'said'", id))
          .hasSize(2);
    }
  }

  static Stream<String> badMessages() {
    var id = "\"conversation_id\":\"conv_x\"";
    return Stream.of(
        "",
        "hello",
        "17",
        "[]",
        "{",
        "{} {}",
        "{\"type\":\"message\"}",
        "{\"type\":\"message\"," + id + "}",
        "{\"type\":\"message\"," + id + ",\"content\":\"\"}",
        "{\"type\":\"message\"," + id + ",\"content\":\" \\u0000 \"}",
        "{\"type\":\"message\"," + id + ",\"content\":17}",
        "{\"type\":\"message\"," + id + ",\"content\":null}",
        "{\"type\":\"message\"," + id + ",\"content\":\"" + "x".repeat(10_001) + "\"}",
        "{\"type\":\"message\"," + id + ",\"content\":\"a\",\"content\":\"b\"}",
        "{\"type\":\"message\"," + id + ",\"content\":\"a\",\"color\":\"red\"}",
        "{\"type\":\"message\"," + id + ",\"content\":\"a\",\"id\":\"\"}",
        "{\"type\":\"message\"," + id + ",\"content\":\"a\",\"id\":\"" + "x".repeat(65) + "\"}",
        "{\"type\":\"greeting\"," + id + ",\"content\":\"a\"}",
        "{\"conversation_id\":[],\"type\":\"message\",\"content\":\"a\"}");
  }

  @ParameterizedTest
  @MethodSource("badMessages")
  void whatIsNoMessageIsSaidToBeNone(String bad) {
    try (var chat = chat(greeted())) {
      chat.send(bad);
      chat.awaitType("error", 1);
      assertThat(of(chat, "error").path("code").asText()).isEqualTo("INVALID_FORMAT");
      assertThat(of(chat, "error").path("message").asText()).isNotBlank().doesNotContain("xxx");
    }
  }

  @Test
  void aForeignConversationIsDenied() {
    var id = greeted();
    var other = greeted();
    try (var chat = chat(id)) {
      chat.say(other, "hello");
      chat.awaitType("error", 1);
      assertThat(of(chat, "error").path("code").asText()).isEqualTo("ACCESS_DENIED");
      assertThat(
              line.rows("SELECT body FROM inbox WHERE participant_id = ? AND kind = 'said'", other))
          .isEmpty();
    }
  }

  @Test
  void aMessageThatIsFarTooLongIsNone() {
    var id = greeted();
    try (var chat = chat(id)) {
      chat.say(id, "x".repeat(200_000));
      chat.awaitType("error", 1);
      assertThat(of(chat, "error").path("code").asText()).isEqualTo("INVALID_FORMAT");
    }
  }

  @Test
  void aMessageThatNeverEndsEndsTheChat() {
    var id = greeted();
    try (var chat = chat(id)) {
      chat.pieces("x".repeat(16_000), 100);
      assertThat(chat.awaitEnd()).isIn(1009, 0);
    }
    try (var chat = chat(id)) {
      chat.say(id, "still there?");
      chat.awaitType("complete", 1);
    }
  }

  @Test
  void whoeverLeavesIsLetGoAtOnce() {
    var id = greeted();
    try (var chat = chat(id)) {
      chat.leave();
      assertThat(chat.awaitClosed()).isEqualTo(1000);
    }
  }

  @Test
  void textsAreTakenInTheirOrder() {
    var id = greeted();
    try (var chat = chat(id)) {
      for (int i = 0; i < 50; i++) {
        chat.say(id, "text " + i);
      }
      await()
          .until(() ->
              line.rows("SELECT body FROM inbox WHERE participant_id = ? AND kind = 'said'", id)
                      .size()
                  == 50);
      assertThat(
              line
                  .rows(
                      "SELECT body FROM inbox WHERE participant_id = ? AND kind = 'said' ORDER BY"
                          + " seq",
                      id)
                  .stream()
                  .map(row -> String.valueOf(row.get("body"))))
          .containsExactlyElementsOf(IntStream.range(0, 50).mapToObj(i -> "text " + i).toList());
    }
  }

  @Test
  void nobodyComesInWithoutAGoodToken() {
    var id = greeted();
    var revoked = token(id);
    assertThat(line.send("DELETE", tokens(id), "").result().path("revoked").asInt()).isEqualTo(1);
    var good = token(id);
    for (var inQuery : new boolean[] {true, false}) {
      assertThat(ChatClient.refused(line.url(), "nonsense", inQuery)).isEqualTo(401);
      assertThat(ChatClient.refused(line.url(), revoked, inQuery)).isEqualTo(401);
      assertThat(ChatClient.refused(line.url(), line.key("k" + id + inQuery, "admin"), inQuery))
          .isEqualTo(401);
    }
    try (var chat = ChatClient.open(line.url(), good)) {
      chat.say(id, "still good");
      chat.awaitType("complete", 1);
    }
  }

  @Test
  void theTokenMayBeTheFirstMessage() {
    var id = greeted();
    try (var chat = ChatClient.openByMessage(line.url(), token(id))) {
      fake.then(Scripted.say("Welcome in."));
      chat.say(id, "hello");
      chat.awaitType("complete", 1);
      assertThat(chat.text()).isEqualTo("Welcome in.");
      chat.send(ChatClient.json(Map.of("type", "auth", "token", "another")));
      chat.awaitType("error", 1);
      assertThat(of(chat, "error").path("code").asText()).isEqualTo("INVALID_FORMAT");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"auth\",\"token\":\"nonsense\"}",
        "{\"type\":\"auth\"}",
        "{\"type\":\"auth\",\"token\":17}",
        "{\"type\":\"message\",\"conversation_id\":\"conv_x\",\"content\":\"hello\"}",
        "hello"
      })
  void whoeverShowsNoGoodTokenFirstIsShutOut(String first) {
    try (var chat = ChatClient.stranger(line.url())) {
      chat.send(first);
      chat.awaitType("error", 1);
      assertThat(of(chat, "error").path("code").asText()).isEqualTo("ACCESS_DENIED");
      assertThat(chat.awaitClosed()).isEqualTo(POLICY_VIOLATION);
    }
  }

  @Test
  void withASlashBehindItsAddressTheChatOpensToItsTokensAlone() {
    var path = "/ws/chat/";
    var id = greeted();
    var staff = line.key("staff at " + path, "staff");
    for (var key : List.of(RestLine.ADMIN, staff)) {
      assertThat(
              ChatClient.refused(
                  () -> ChatClient.at(line.url(), path, Map.of("Authorization", "Bearer " + key))))
          .isEqualTo(401);
    }
    try (var chat = ChatClient.at(line.url(), path + "?token=" + token(id), Map.of())) {
      chat.say(id, "hello");
      chat.awaitType("complete", 1);
    }
  }

  @Test
  void whoCameInOtherwiseThanWithATokenIsNoGuest() {
    var passes = line.bean(ChatPasses.class);
    assertThat(passes.guest(Authentication.build("conv_1", Map.of(Passes.PASS, "key abc"))))
        .isEmpty();
    assertThat(passes.guest(Authentication.build("conv_1"))).isEmpty();
    assertThat(passes.guest(Authentication.build("conv_1", Map.of(Passes.PASS, "token abc"))))
        .contains(new ChatPasses.Guest("conv_1", "token abc"));
  }

  @Test
  void strangersFromOneSourceLeaveRoomForOthers() {
    try (var own =
        RestLine.start(ChatTest.class, Map.of("habitline.proxy-header", "X-Forwarded-For"))) {
      var strangers = new ArrayList<ChatClient>();
      try {
        while (strangers.stream().noneMatch(it -> it.closed() == TRY_AGAIN_LATER)) {
          assertThat(strangers).hasSizeLessThan(ChatSeats.WITHOUT_TOKEN);
          strangers.add(from("2001:db8::" + Integer.toHexString(strangers.size() + 1), own));
        }
        try (var other = from("2001:db8:0:1::1", own)) {
          other.send("{\"type\":\"auth\",\"token\":\"nonsense\"}");
          assertThat(other.awaitClosed()).isEqualTo(POLICY_VIOLATION);
        }
      } finally {
        strangers.forEach(ChatClient::close);
      }
    }
  }

  private static ChatClient from(String source, RestLine line) {
    return ChatClient.at(line.url(), "/ws/chat", Map.of("X-Forwarded-For", source));
  }

  @Test
  void seatsAreBoundedInAllByTokenAndBySource() {
    var seats = new ChatSeats();
    var one = ChatSeats.withoutToken(Optional.of("192.0.2.1"));
    for (int i = 0; i < ChatSeats.OF_ONE_SOURCE; i++) {
      assertThat(seats.take(one)).isTrue();
    }
    assertThat(seats.take(one)).isFalse();
    var unknown = ChatSeats.withoutToken(Optional.empty());
    for (int i = ChatSeats.OF_ONE_SOURCE; i < ChatSeats.WITHOUT_TOKEN; i++) {
      assertThat(seats.take(unknown)).isTrue();
    }
    assertThat(seats.take(unknown)).isFalse();
    assertThat(seats.take(ChatSeats.withoutToken(Optional.of("192.0.2.2")))).isFalse();
    seats.free(one);
    assertThat(seats.take(one)).isTrue();
    for (int i = ChatSeats.WITHOUT_TOKEN; i < ChatSeats.OF_ALL; i++) {
      assertThat(seats.take(ChatSeats.withToken("token " + i))).isTrue();
    }
    assertThat(seats.take(ChatSeats.withToken("token one more"))).isFalse();
  }

  @Test
  void behindAPublicAddressNoTokenIsTakenFromTheAddressOfTheChat() {
    try (var own =
        RestLine.start(ChatTest.class, Map.of("habitline.public-url", "https://line.example"))) {
      var id = own.enrolled().path("id").asText();
      var token = own.send("POST", tokens(id), "").result().path("token").asText();
      try (var chat = ChatClient.openByQuery(own.url(), token)) {
        chat.say(id, "hello");
        assertThat(chat.awaitClosed()).isEqualTo(POLICY_VIOLATION);
      }
    }
  }

  @Test
  void aTokenOpensFiveChatsAtATime() {
    var id = greeted();
    var token = token(id);
    var open = new ArrayList<ChatClient>();
    try {
      for (int i = 0; i < ChatSeats.OF_ONE_TOKEN; i++) {
        var chat =
            i % 2 == 0
                ? ChatClient.open(line.url(), token)
                : ChatClient.openByMessage(line.url(), token);
        open.add(chat);
        // Whoever is answered has a seat.
        chat.send("are you there?");
        chat.awaitType("error", 1);
      }
      try (var one = ChatClient.open(line.url(), token);
          var other = ChatClient.openByMessage(line.url(), token)) {
        assertThat(one.awaitClosed()).isEqualTo(TRY_AGAIN_LATER);
        assertThat(other.awaitClosed()).isEqualTo(TRY_AGAIN_LATER);
      }
      try (var others = chat(id)) {
        others.send("are you there?");
        others.awaitType("error", 1);
      }
      open.getFirst().leave();
      open.getFirst().awaitClosed();
      await()
          .until(() -> {
            try (var again = ChatClient.open(line.url(), token)) {
              again.send("are you there?");
              return again.answeredOrClosed();
            }
          });
    } finally {
      open.forEach(ChatClient::close);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        RestLine.PARTICIPANTS,
        RestLine.PARTICIPANTS + "/%s",
        RestLine.PARTICIPANTS + "/%s/history",
        "/events",
        "/keys",
        "/participants/%s/simulator",
        "/prometheus"
      })
  void aTokenIsNoRole(String path) {
    var id = greeted();
    assertThat(line.sendAs(token(id), "GET", path.formatted(id), "").status()).isEqualTo(401);
    assertThat(line.sendAs(token(id), "POST", tokens(id), "").status()).isEqualTo(401);
  }

  @Test
  void tokensEndWithTheirParticipant() {
    var id = greeted();
    var token = token(id);
    try (var chat = ChatClient.open(line.url(), token)) {
      chat.say(id, "hello");
      chat.awaitType("complete", 1);
      line.send(
          "PUT", RestLine.PARTICIPANTS + "/" + id, RestLine.write(Map.of("status", "withdrawn")));
      chat.say(id, "anybody there?");
      assertThat(chat.awaitClosed()).isEqualTo(POLICY_VIOLATION);
    }
    assertThat(ChatClient.refused(line.url(), token, true)).isEqualTo(401);
    assertThat(line.send("POST", tokens(id), "").status()).isEqualTo(409);
    assertThat(line.rows("SELECT * FROM participant_token WHERE participant_id = ?", id)).isEmpty();
  }

  @Test
  void aPlainRequestForTheChatIsRefused() {
    var token = token(greeted());
    assertThat(line.sendAs("", "GET", "/ws/chat", "").status()).isBetween(400, 499);
    assertThat(line.sendAs(token, "GET", "/ws/chat", "").status()).isBetween(400, 499);
    assertThat(line.sendAs(token, "POST", "/ws/chat", "{}").status()).isBetween(400, 499);
  }

  @Test
  void aTokenIsShownOnceAndKeptAsAHash() {
    var id = greeted();
    var answer = line.send("POST", tokens(id), "{\"minutes\":5}");
    assertThat(answer.result().fieldNames())
        .toIterable()
        .containsExactlyInAnyOrder("token", "conversation_id", "expires_at");
    var token = answer.result().path("token").asText();
    assertThat(token).hasSizeGreaterThanOrEqualTo(43);
    assertThat(line.rows("SELECT * FROM participant_token").toString()).doesNotContain(token);
    assertThat(line.rows("SELECT * FROM audit_event WHERE participant_id = ?", id).toString())
        .contains("chat token created")
        .doesNotContain(token);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{\"minutes\":0}", "{\"minutes\":1441}", "{\"minutes\":-1}", "{\"hours\":1}"})
  void minutesHaveBounds(String body) {
    assertThat(line.send("POST", tokens(greeted()), body).status()).isEqualTo(400);
    assertThat(line.send("POST", tokens("conv_nobody"), "").status()).isEqualTo(404);
    assertThat(line.send("DELETE", tokens("conv_nobody"), "").status()).isEqualTo(404);
  }

  @Test
  void theChatSaysGoodbyeWhenTheLineStops() {
    try (var own = RestLine.start(ChatTest.class, Map.of("openai.base-url", fake.baseUrl()))) {
      var id = own.enrolled().path("id").asText();
      var token = own.send("POST", tokens(id), "").result().path("token").asText();
      try (var chat = ChatClient.open(own.url(), token)) {
        chat.send("are you there?");
        chat.awaitType("error", 1);
        own.bean(ApplicationContext.class).stop();
        assertThat(chat.awaitClosed()).isEqualTo(GOING_AWAY);
      }
    }
  }
}
