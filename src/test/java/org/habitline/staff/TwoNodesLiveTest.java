package org.habitline.staff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.habitline.RestLine;
import org.habitline.TestDatabase;
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

  @BeforeAll
  static void start() {
    fake = StrictFakeServer.start();
    var settings = new HashMap<String, String>();
    TestDatabase.postgres().forEach((name, value) -> settings.put(name, String.valueOf(value)));
    settings.put("openai.base-url", fake.baseUrl());
    one = RestLine.start(TwoNodesLiveTest.class, settings);
    other = RestLine.start(TwoNodesLiveTest.class, settings);
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

  @Test
  void aStreamIsTakenUpOnTheOtherNodeWithoutLossOrRepetition() {
    var id = greeted();
    var key = one.key("reader", "staff");
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
