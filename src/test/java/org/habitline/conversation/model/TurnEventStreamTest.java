package org.habitline.conversation.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.habitline.RunningLine;
import org.habitline.SettableClock;
import org.habitline.audit.Events;
import org.habitline.conversation.ConversationFlow;
import org.habitline.conversation.stored.TurnJson;
import org.habitline.flows.FlowCatalog;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.Scripted.Call;
import org.habitline.llm.openai.StrictFakeServer;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What those hear who watch a participant while a turn runs, and what it costs if nobody does. */
final class TurnEventStreamTest {

  private static final String SAVE = "save_user_profile";
  private static final String COFFEE = "{\"prompt_anchor\":\"coffee\"}";

  private static RunningLine line;
  private static StrictFakeServer fake;
  private static String fallback;

  @BeforeAll
  static void start() {
    line = RunningLine.in(TurnEventStreamTest.class).study(RunningLine.NO_GATES).start();
    fake = line.fake();
    fallback = line.bean(FlowCatalog.class).defaultFlow().texts().errorFallback();
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  @AfterEach
  void theVendorsRulesWereKept() {
    assertThat(fake.violations()).isEmpty();
    fake.forget();
  }

  /** One event of a turn. */
  private record Told(String type, JsonNode payload) {
    String text() {
      return payload.path("text").asText();
    }
  }

  private static List<Told> told(Participant participant, int turn) {
    return line
        .rows(
            "SELECT type, payload FROM event WHERE participant_id = ? ORDER BY seq",
            participant.id())
        .stream()
        .map(row ->
            new Told(
                String.valueOf(row.get("type")), TurnJson.tree(String.valueOf(row.get("payload")))))
        .filter(one -> one.payload().path("turn").asInt() == turn)
        .toList();
  }

  private static List<String> types(Participant participant, int turn) {
    return told(participant, turn).stream().map(Told::type).toList();
  }

  /** What somebody knows who follows the rules: pieces in their place, resets, newer tries. */
  private static String heard(Participant participant, int turn) {
    var heard = new StringBuilder();
    var newest = 0L;
    for (var one : told(participant, turn)) {
      var attempt = one.payload().path("try").asLong();
      if (one.type().equals("message.reset") || attempt > newest) {
        heard.setLength(0);
      }
      newest = Math.max(newest, attempt);
      if (one.type().equals("message.delta")
          && attempt == newest
          && one.payload().path("place").asInt() == heard.length()) {
        heard.append(one.text());
      }
    }
    return heard.toString();
  }

  private static Participant watched() {
    var participant = watchedForAWhile();
    // A busy machine may take longer for a turn than somebody who watches says that they do.
    line.write(
        "UPDATE watched SET watched_until = watched_until + INTERVAL '1' DAY WHERE participant_id ="
            + " ?",
        participant.id());
    return participant;
  }

  private static Participant watchedForAWhile() {
    return line.watched(line::enrol);
  }

  private static String lastSaid(Participant participant) {
    return line.transcript(participant).getLast().replace("assistant: ", "");
  }

  @Test
  void whileNobodyWatchesOnlyTheMessageIsTold() {
    var robin = line.greeted();
    fake.then(Scripted.call(SAVE, COFFEE), Scripted.say("Coffee it is."));
    line.answered(robin, "hello");
    assertThat(types(robin, 2))
        .containsExactly("turn.started", "message.created", "message.completed", "turn.completed");
    assertThat(fake.asked()).noneMatch(StrictFakeServer.Asked::streams);
    assertThat(told(robin, 2).get(2).payload().path("message_ids").path(0).asText())
        .isEqualTo(
            line.column("SELECT id FROM message WHERE participant_id = ? ORDER BY seq", robin.id())
                .getLast());
  }

  @Test
  void aReplyIsHeardWhileItIsSaid() {
    var robin = watched();
    var latch = new CountDownLatch(1);
    fake.then(Scripted.say("After coffee, walk ten steps. Ready?").heldMidway(latch));
    line.text(robin, "hello");
    await().until(() -> types(robin, 2).contains("message.delta"));
    assertThat(types(robin, 2)).doesNotContain("message.completed");
    assertThat("After coffee, walk ten steps. Ready?").startsWith(heard(robin, 2));
    latch.countDown();
    line.awaitTurn(robin, 2);
    assertThat(heard(robin, 2)).isEqualTo("After coffee, walk ten steps. Ready?");
    assertThat(types(robin, 2))
        .startsWith("turn.started", "message.created", "message.delta")
        .endsWith("message.delta", "message.completed", "turn.completed")
        .containsOnlyOnce("message.created");
  }

  @Test
  void aBurstOfPiecesIsAFewEvents() {
    var robin = watched();
    fake.then(Scripted.say("word ".repeat(300).strip()));
    var began = System.nanoTime();
    line.answered(robin, "hello");
    var tenths = Math.toIntExact(Duration.ofNanos(System.nanoTime() - began).toMillis() / 100);
    assertThat(heard(robin, 2)).isEqualTo(lastSaid(robin)).hasSize(1499);
    assertThat(types(robin, 2)).hasSizeLessThan(30 + tenths);
  }

  @Test
  void textBesideACallIsTakenBackAndTheCallIsTold() {
    var robin = watched();
    fake.then(
        Scripted.textAndCalls("Let me write that down.", new Call("c1", SAVE, COFFEE)),
        Scripted.say("Coffee it is."));
    line.answered(robin, "hello");
    assertThat(heard(robin, 2)).isEqualTo("Coffee it is.");
    // The result is told with the turn's next step, whether that is a word or a call.
    assertThat(types(robin, 2))
        .containsSubsequence("message.delta", "message.reset", "tool_call.started", "message.delta")
        .containsSubsequence("tool_call.started", "tool_call.completed", "message.completed")
        .containsSubsequence("turn.started", "message.created", "message.delta")
        .containsOnlyOnce("message.created");
    var started = told(robin, 2).stream().filter(it -> it.type().equals("tool_call.started"));
    assertThat(started)
        .singleElement()
        .satisfies(it -> {
          assertThat(it.payload().path("name").asText()).isEqualTo(SAVE);
          assertThat(it.payload().path("source").asText()).isEqualTo("local");
          assertThat(it.payload().at("/arguments/prompt_anchor").asText()).isEqualTo("coffee");
        });
    var completed = told(robin, 2).stream().filter(it -> it.type().equals("tool_call.completed"));
    assertThat(completed)
        .singleElement()
        .satisfies(
            it -> assertThat(it.payload().at("/result/status").asText()).isEqualTo("success"));
  }

  @Test
  void whateverTheModelCallsAToolIsToldInPart() {
    var robin = watched();
    fake.then(Scripted.call("x".repeat(30_000), "{}"), Scripted.say("Coffee it is."));
    line.answered(robin, "hello");
    assertThat(told(robin, 2))
        .filteredOn(it -> it.type().startsWith("tool_call."))
        .hasSize(2)
        .allSatisfy(it -> assertThat(it.payload().path("name").asText()).hasSize(200));
  }

  @Test
  void aFallbackTakesTheHalfReplyBack() {
    var robin = watched();
    fake.then(Scripted.say("I would rather").finish("content_filter"));
    line.answered(robin, "hello");
    assertThat(heard(robin, 2)).isEqualTo(fallback).isEqualTo(lastSaid(robin));
    assertThat(types(robin, 2))
        .contains("message.reset")
        .endsWith("message.completed", "turn.failed");
  }

  @Test
  void dataIsNeverHeard() {
    var robin = watched();
    fake.then(Scripted.say("{\"reply\": \"hi\"}"), Scripted.say("Hi."));
    line.answered(robin, "hello");
    assertThat(told(robin, 2)).noneMatch(it -> it.text().contains("{"));
    assertThat(heard(robin, 2)).isEqualTo("Hi.");
  }

  @Test
  void whatTheLineSaysItselfComesFirst() {
    var robin = watched();
    fake.then(Scripted.say("Hello to you."));
    line.study().advance(Duration.ofMinutes(1));
    line.text(robin, "HELP");
    line.awaitTurn(robin, 2);
    assertThat(heard(robin, 2))
        .isEqualTo(line.bean(FlowCatalog.class).defaultFlow().texts().help());
    assertThat(types(robin, 2)).contains("message.completed");
  }

  @Test
  void blanksAndHalvesOfCharactersDoNotConfuseAnybody() {
    var robin = watched();
    fake.then(Scripted.say("  \n Fine \uD83D\uDE42  and \u0000well \uD83D.  \n"));
    line.answered(robin, "hello");
    assertThat(heard(robin, 2)).isEqualTo(lastSaid(robin)).contains("\uD83D\uDE42");
  }

  @Test
  void aTurnThatBeginsAnewAfterACrashStartsItsTextOver() {
    var robin = watched();
    var dead = new CountDownLatch(1);
    fake.then(Scripted.say("Nobody will read this to its end.").heldMidway(dead));
    line.text(robin, "hello");
    await().until(() -> types(robin, 2).contains("message.delta"));
    line.write("UPDATE lease SET owner = NULL, held_until = NULL");
    fake.then(Scripted.say("Coffee it is."));
    line.bean(ConversationFlow.class).handle(robin.id());
    line.awaitTurn(robin, 2);
    var before = told(robin, 2).size();
    dead.countDown();
    await().until(() -> fake.pending() == 0);
    assertThat(heard(robin, 2)).isEqualTo("Coffee it is.").isEqualTo(lastSaid(robin));
    assertThat(told(robin, 2).stream().filter(it -> it.type().equals("message.completed")))
        .hasSize(1);
    assertThat(types(robin, 2)).contains("message.reset");
    assertThat(types(robin, 2).stream().filter("message.created"::equals))
        .as("one of each try")
        .hasSize(2);
    assertThat(told(robin, 2)).hasSize(before);
  }

  @Test
  void anInputThatArrivesIsReceivedAndNotCreated() {
    var robin = line.greeted();
    line.answered(robin, "hello");
    var arrivals =
        line.column(
            "SELECT payload FROM event WHERE participant_id = ? AND type = 'message.received' ORDER"
                + " BY seq",
            robin.id());
    assertThat(arrivals).containsExactly("{\"kind\":\"enrolled\"}", "{\"kind\":\"said\"}");
    assertThat(told(robin, 2))
        .filteredOn(it -> it.type().equals("message.created"))
        .singleElement()
        .satisfies(it -> assertThat(it.payload().path("try").asLong()).isPositive());
  }

  @Test
  void whoStopsWatchingIsForgotten() {
    var robin = watchedForAWhile();
    SettableClock system = line.system();
    system.advance(Events.WATCHED.plusSeconds(1));
    fake.then(Scripted.say("Coffee it is."));
    line.answered(robin, "hello");
    assertThat(types(robin, 2)).doesNotContain("message.delta");
  }

  @Test
  void whatWasHeardGoesWithTheParticipant() {
    var robin = watched();
    line.answered(robin, "hello");
    assertThat(heard(robin, 2)).isEqualTo("All right.");
    line.bean(Participants.class).leave(robin.id(), false);
    await().until(() -> line.rows("SELECT * FROM participant WHERE id = ?", robin.id()).isEmpty());
    assertThat(
            line.rows(
                "SELECT * FROM event WHERE participant_id = ? AND type LIKE 'message.%'",
                robin.id()))
        .isEmpty();
    assertThat(line.rows("SELECT * FROM watched WHERE participant_id = ?", robin.id())).isEmpty();
  }
}
