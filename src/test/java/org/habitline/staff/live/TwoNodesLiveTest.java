package org.habitline.staff.live;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.habitline.RestLine;
import org.habitline.RunningLine;
import org.habitline.SettableClock;
import org.habitline.TestClocks;
import org.habitline.TestDatabase;
import org.habitline.audit.Event;
import org.habitline.audit.Events;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.StrictFakeServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What is said on one node is heard on another, and a stream goes on where it was broken off. */
final class TwoNodesLiveTest {

  private static StrictFakeServer fake;
  private static RestLine one;
  private static RestLine other;
  private static SettableClock clockOfTheOther;
  private static Map<String, Object> database;

  @BeforeAll
  static void start() {
    fake = StrictFakeServer.start();
    var settings = new HashMap<String, String>();
    database = TestDatabase.postgres();
    database.forEach((name, value) -> settings.put(name, String.valueOf(value)));
    settings.put("openai.base-url", fake.baseUrl());
    settings.put(RestLine.STUDY, RunningLine.NO_GATES);
    one = RestLine.start(TwoNodesLiveTest.class, settings, clocks());
    var there = clocks();
    clockOfTheOther = there.system();
    other = RestLine.start(TwoNodesLiveTest.class, settings, there);
  }

  private static TestClocks clocks() {
    return new TestClocks(SettableClock.running(), SettableClock.running());
  }

  @AfterAll
  static void stop() {
    other.close();
    one.close();
    fake.close();
  }

  private static String greeted() {
    var id = one.enrolled().path("id").asText();
    await().until(() -> !one.rows("SELECT id FROM message WHERE participant_id = ?", id).isEmpty());
    return id;
  }

  private static void text(RestLine node, String id, String words) {
    assertThat(
            node.send("POST", "/simulator/" + id + "/texts", RestLine.write(Map.of("text", words)))
                .status())
        .isEqualTo(202);
  }

  private static void answered(String id, String words) {
    var before = replies(id);
    text(other, id, words);
    await().until(() -> replies(id) > before);
  }

  private static int replies(String id) {
    return one.rows("SELECT id FROM message WHERE participant_id = ? AND role = 'assistant'", id)
        .size();
  }

  @Test
  void aStreamIsTakenUpOnTheOtherNodeWithoutLossOrRepetition() {
    var id = greeted();
    var key = one.key("reader", "staff");
    // What a node has never heard of a model is told when it is whole: it may begin with reasoning.
    answered(id, "hello");
    var latch = new CountDownLatch(1);
    fake.then(Scripted.say("one two three four five six").heldMidway(latch));
    String last;
    var text = new StringBuilder();
    try (var reader = new EventReader(one.url(), key, "?participant=" + id, "")) {
      text(other, id, "count");
      var delta = reader.await(event -> event.type().equals("message.delta"));
      last = delta.id();
      text.append(delta.payload().path("text").asText());
    }
    latch.countDown();
    try (var reader = new EventReader(other.url(), key, "?participant=" + id, last)) {
      reader.await(event -> event.type().equals("turn.completed"));
      assertThat(reader.heard())
          .allSatisfy(
              event -> assertThat(Long.parseLong(event.id())).isGreaterThan(Long.parseLong(last)));
      assertThat(reader.types()).contains("message.completed").doesNotContain("message.reset");
      reader.heard().stream()
          .filter(event -> event.type().equals("message.delta"))
          .forEach(event -> {
            assertThat(event.payload().path("place").asInt()).isEqualTo(text.length());
            text.append(event.payload().path("text").asText());
          });
    }
    assertThat(text).hasToString("one two three four five six");
  }

  private static Connection connection() throws SQLException {
    return DriverManager.getConnection(
        String.valueOf(database.get("database.url")),
        String.valueOf(database.get("database.user")),
        String.valueOf(database.get("database.password")));
  }

  private static void write(Connection connection, String type) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(
          "INSERT INTO event (at, type, participant_id, payload) VALUES (now(), '"
              + type
              + "', NULL, '{}')");
    }
  }

  private static List<String> tests(Stream<String> types) {
    return types.filter(type -> type.startsWith("test.")).toList();
  }

  @Test
  void anEventThatIsCommittedLateIsHeardInItsPlaceLiveAndOnResume() throws SQLException {
    greeted();
    var key = one.key("late reader", "staff");
    var events = one.bean(Events.class);
    var before = String.valueOf(events.newest());
    try (var slow = connection();
        var quick = connection();
        var live = new EventReader(one.url(), key, "", before)) {
      var tail = new EventTail(events);
      slow.setAutoCommit(false);
      write(slow, "test.late");
      write(quick, "test.early");
      // Undone: an id that nobody will ever see.
      quick.setAutoCommit(false);
      write(quick, "test.undone");
      quick.rollback();
      quick.setAutoCommit(true);
      write(quick, "test.last");
      var begunMeanwhile = new EventTail(other.bean(Events.class));
      for (int look = 0; look < 5; look++) {
        assertThat(tests(tail.next().stream().map(Event::type))).isEmpty();
        assertThat(begunMeanwhile.next()).isEmpty();
      }
      assertThat(begunMeanwhile.isComplete()).isFalse();
      try (var resumed = new EventReader(other.url(), key, "", before)) {
        slow.commit();
        var told = new ArrayList<String>();
        await()
            .until(() -> {
              tail.next().forEach(event -> told.add(event.type()));
              return told.contains("test.last");
            });
        assertThat(tests(told.stream())).containsExactly("test.late", "test.early", "test.last");
        for (var reader : List.of(live, resumed)) {
          reader.await(event -> event.type().equals("test.last"));
          assertThat(tests(reader.types().stream()))
              .containsExactly("test.late", "test.early", "test.last");
        }
        assertThat(tests(begunMeanwhile.next().stream().map(Event::type)))
            .containsExactly("test.late");
      }
    }
  }

  @Test
  void aChatOnOneNodeHearsWhatTheOtherSays() {
    var id = greeted();
    var token =
        one.send("POST", RestLine.PARTICIPANTS + "/" + id + "/tokens", "")
            .result()
            .path("token")
            .asText();
    try (var chat = ChatClient.open(one.url(), token);
        var there = ChatClient.open(other.url(), token)) {
      // Whoever is answered is there.
      there.send("are you there?");
      there.awaitType("error", 1);
      fake.then(Scripted.say("Coffee it is."));
      chat.say(id, "coffee");
      chat.awaitType("complete", 1);
      there.awaitType("complete", 1);
      assertThat(chat.text()).isEqualTo("Coffee it is.");
      assertThat(there.text()).isEqualTo("Coffee it is.");
    }
  }

  @Test
  void whoseKeySessionOrTokenEndedIsShutOutOnEveryNodeWithin15Seconds() {
    assertThat(LiveEvents.CHECK).isLessThan(Duration.ofSeconds(15));
    var id = greeted();
    var tokens = RestLine.PARTICIPANTS + "/" + id + "/tokens";
    var token = one.send("POST", tokens, "").result().path("token").asText();
    var revoked = one.send("POST", "/keys", key("to be revoked"));
    var signsIn = one.key("signs in", "staff");
    var stays = one.key("stays", "staff");
    try (var byKey = new EventReader(other.url(), revoked.result().path("key").asText(), "", "");
        var inSession = EventReader.inSession(other.url(), session(signsIn));
        var inSessionOfKey =
            EventReader.inSession(other.url(), session(revoked.result().path("key").asText()));
        var staying = new EventReader(other.url(), stays, "", "");
        var outside = new EventReader(other.url(), RestLine.ADMIN, "", "");
        var chat = ChatClient.open(other.url(), token)) {
      chat.send("are you there?");
      chat.awaitType("error", 1);

      one.send("DELETE", "/keys/" + revoked.result().path("id").asText(), "");
      one.send("DELETE", tokens, "");
      for (var session : one.get("/sessions?limit=200").result()) {
        one.send("DELETE", "/sessions/" + session.path("seq").asText(), "");
      }
      clockOfTheOther.advance(LiveEvents.CHECK);

      assertThat(chat.awaitClosed()).isEqualTo(1008);
      await().until(() -> byKey.hasEnded() && inSession.hasEnded() && inSessionOfKey.hasEnded());
      text(one, id, "who is there?");
      staying.await(event -> event.type().equals("message.received"));
      outside.await(event -> event.type().equals("message.received"));
    }
  }

  private static String key(String name) {
    return RestLine.write(Map.of("name", name, "role", "staff"));
  }

  private static String session(String key) {
    var answer =
        other.postAs(
            "", "/login", "application/x-www-form-urlencoded", ("secret=" + key).getBytes(UTF_8));
    assertThat(answer.status()).isEqualTo(303);
    return answer
        .response()
        .headers()
        .firstValue("Set-Cookie")
        .orElseThrow()
        .replaceFirst(";.*", "");
  }

  @Test
  void theStreamOfTheWholeLineHoldsNoTextOfAConversation() {
    var id = greeted();
    try (var ofAll = new EventReader(one.url(), RestLine.ADMIN, "", "");
        var ofOne = new EventReader(one.url(), RestLine.ADMIN, "?participant=" + id, "")) {
      fake.then(Scripted.say("a secret reply"));
      text(one, id, "hello");
      ofOne.await(event -> event.type().equals("turn.completed"));
      ofAll.await(event ->
          event.type().equals("turn.completed")
              && event.data().path("participant_id").asText().equals(id));
      assertThat(ofOne.types()).contains("message.delta");
      assertThat(ofAll.types()).contains("message.completed").doesNotContain("message.delta");
      assertThat(ofAll.heard().toString()).doesNotContain("secret");
    }
  }

  @Test
  void aStopOfAllSendingIsToldToWhoeverWatchesAnybody() {
    var id = greeted();
    var key = one.key("watcher", "staff");
    try (var reader = new EventReader(other.url(), key, "?participant=" + id, "")) {
      one.send("PUT", "/sending", "{\"sending\":false,\"reason\":\"a test\"}");
      var changed = reader.await(event -> event.type().equals("sending.changed"));
      assertThat(changed.payload().path("stopped").asBoolean()).isTrue();
    } finally {
      one.send("PUT", "/sending", "{\"sending\":true}");
    }
  }
}
