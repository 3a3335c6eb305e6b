package org.habitline.conversation.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.habitline.RunningLine;
import org.habitline.conversation.ConversationFlow;
import org.habitline.conversation.stored.TurnJson;
import org.habitline.flows.FlowCatalog;
import org.habitline.flows.FlowTexts;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.StrictFakeServer;
import org.habitline.participants.Participant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a model says is checked before anybody reads it. */
final class GatesInATurnTest {

  private static final String HELPLINE = "Please call the helpline on 0800 123 4567.";
  private static final String OTHER_HELPLINE = "Then call 988, they are kind.";
  private static final String COFFEE = "{\"prompt_anchor\":\"coffee\"}";
  private static final String COMPLETE =
      "{\"prompt_anchor\":\"coffee\",\"preferred_time\":\"8:15\"}";
  private static final String NINE =
      "{\"action\":\"create\",\"type\":\"fixed\",\"fixed_time\":\"09:30\"}";
  private static final String NEVER =
      "{\"action\":\"create\",\"type\":\"fixed\",\"fixed_time\":\"25:00\"}";

  private static RunningLine line;
  private static StrictFakeServer fake;
  private static FlowTexts texts;

  @BeforeAll
  static void start() {
    line = RunningLine.in(GatesInATurnTest.class).start();
    fake = line.fake();
    texts = line.bean(FlowCatalog.class).defaultFlow().texts();
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

  private static String lastSaid(Participant robin) {
    return line.transcript(robin).getLast().replace("assistant: ", "");
  }

  private static String outcome(Participant robin) {
    return String.valueOf(line.turn(robin, 2).orElseThrow().get("outcome"));
  }

  private static List<Map<String, Object>> gates(Participant robin) {
    return line.iterations(robin, 2).iterations().stream().map(it -> it.metadata()).toList();
  }

  private static double hits(String gate, String result) {
    var counter =
        line.bean(MeterRegistry.class)
            .find("habitline.gate.hits")
            .tags("gate", gate, "result", result)
            .counter();
    return counter == null ? 0 : counter.count();
  }

  @Test
  void aHelplineThatIsInventedTwiceNeverLeavesAndTheFlowsTextDoes() {
    var robin = line.watched(line::enrol);
    var withheld = hits("contacts", "withheld");
    fake.then(Scripted.say(HELPLINE), Scripted.say(OTHER_HELPLINE));
    line.answered(robin, "my day was hard");
    assertThat(outcome(robin)).isEqualTo("gated");
    assertThat(line.turn(robin, 2).orElseThrow())
        .containsEntry("status", "failed")
        .containsEntry("reason", "the gate 'contacts' withheld what the model wrote");
    assertThat(lastSaid(robin)).isEqualTo(texts.errorFallback());
    assertThat(fake.asked()).hasSize(2);
    assertThat(fake.asked().getLast().texts("assistant")).last().isEqualTo(HELPLINE);
    assertThat(fake.asked().getLast().texts("system").getLast())
        .contains("was not sent", "0800 123 4567");
    // Listeners hear of a turn right after its commit.
    await().until(() -> hits("contacts", "withheld") > withheld);

    fake.then(Scripted.say("I am glad to hear that."));
    line.answered(robin, "better now");
    assertThat(TurnJson.write(fake.asked().getLast().body()))
        .doesNotContain("0800 123")
        .doesNotContain("988");
    for (var table : List.of("message", "outbox", "event", "simulated_phone_text")) {
      assertThat(
              line.rows("SELECT * FROM " + table + " WHERE participant_id = ?", robin.id())
                  .toString())
          .as(table)
          .doesNotContain("0800 123")
          .doesNotContain("call 988");
    }
    assertThat(gates(robin).getFirst())
        .containsEntry("gate_verdict", "contacts")
        .containsEntry("gate_result", "retried");
    assertThat(gates(robin).getLast())
        .containsEntry("gate_verdict", "contacts")
        .containsEntry("gate_result", "withheld")
        .containsKey("gate_version");
  }

  @Test
  void theSecondTryIsSentAndNothingIsHeardBeforeItsVerdict() {
    var robin = line.watched(line::enrol);
    var midway = new CountDownLatch(1);
    fake.then(
        Scripted.say(HELPLINE), Scripted.say("That sounds hard. I am here.").heldMidway(midway));
    line.text(robin, "my day was hard");
    await().until(() -> fake.asked().size() == 2);
    assertThat(types(robin)).doesNotContain("message.created", "message.delta");
    midway.countDown();
    line.awaitTurn(robin, 2);
    assertThat(lastSaid(robin)).isEqualTo("That sounds hard. I am here.");
    assertThat(types(robin))
        .containsSubsequence(
            "turn.started",
            "message.created",
            "message.delta",
            "message.completed",
            "turn.completed");
    assertThat(gates(robin).getLast())
        .containsEntry("gate_verdict", "pass")
        .doesNotContainKey("gate_result");
  }

  private static List<String> types(Participant robin) {
    return line
        .rows("SELECT type, payload FROM event WHERE participant_id = ? ORDER BY seq", robin.id())
        .stream()
        .filter(row -> TurnJson.tree(String.valueOf(row.get("payload"))).path("turn").asInt() == 2)
        .map(row -> String.valueOf(row.get("type")))
        .toList();
  }

  @Test
  void allGatesTogetherCostOneRetry() {
    var robin = line.greeted();
    fake.then(Scripted.say(HELPLINE), Scripted.say("Take two ibuprofen first."));
    line.answered(robin, "my knee hurts");
    assertThat(outcome(robin)).isEqualTo("gated");
    assertThat(fake.asked()).hasSize(2);
    assertThat(lastSaid(robin)).isEqualTo(texts.errorFallback());
  }

  @Test
  void aClaimNeedsACallThatSucceededAndTheRetryMayMakeIt() {
    var robin = line.greeted();
    fake.then(
        Scripted.say("I've set your daily prompt for 9:30."),
        Scripted.call("scheduler", NINE),
        Scripted.say("Your daily prompt is set for 9:30."));
    line.answered(robin, "9:30 please");
    assertThat(outcome(robin)).isEqualTo("replied");
    assertThat(lastSaid(robin)).isEqualTo("Your daily prompt is set for 9:30.");

    // The schedule backs its time in later turns, too, but no other time.
    fake.then(Scripted.say("Yes, I'll text you at 9:30."));
    line.answered(robin, "is it set?");
    assertThat(lastSaid(robin)).isEqualTo("Yes, I'll text you at 9:30.");
    fake.then(
        Scripted.say("I've moved it to 10:15."), Scripted.say("Would 10:15 suit you better?"));
    line.answered(robin, "make it 10:15");
    assertThat(lastSaid(robin)).isEqualTo("Would 10:15 suit you better?");
  }

  @Test
  void aCallThatFailedBacksNothing() {
    var robin = line.greeted();
    fake.then(
        Scripted.call("scheduler", NEVER),
        Scripted.say("Great, I'll text you at 3."),
        Scripted.say("That time is not possible; which other time would suit you?"));
    line.answered(robin, "25 o clock");
    assertThat(lastSaid(robin)).startsWith("That time is not possible");
    assertThat(gates(robin).get(1)).containsEntry("gate_verdict", "claims");
  }

  @Test
  void aCallThatSucceededBacksItsClaim() {
    var robin = line.greeted();
    fake.then(Scripted.call("save_user_profile", COFFEE), Scripted.say("I've noted your coffee."));
    line.answered(robin, "coffee");
    assertThat(lastSaid(robin)).isEqualTo("I've noted your coffee.");
    assertThat(fake.asked()).hasSize(2);
  }

  @Test
  void aHabitPromptIsCheckedWhereItIsWritten() {
    var robin = line.greeted();
    fake.then(
        Scripted.call("save_user_profile", COMPLETE),
        Scripted.call("generate_habit_prompt", "{\"delivery_mode\":\"scheduled\"}"),
        Scripted.say("After coffee, see https://example.com/steps and walk."),
        Scripted.say("After coffee, call 988 and walk fifty steps."),
        Scripted.say("That did not work this time."));
    line.answered(robin, "a prompt please");
    assertThat(lastSaid(robin)).isEqualTo("That did not work this time.");
    assertThat(fake.asked()).hasSize(5);
    assertThat(line.data(robin)).doesNotContainKeys("preparedHabitPrompt", "lastHabitPrompt");
    assertThat(String.valueOf(gates(robin).get(1).get("nested")))
        .contains("gate_result=retried", "gate_result=withheld");
  }

  @Test
  void theNoteOfARetryMakesNoContactKnown() {
    var robin = line.greeted();
    var link = "After coffee, see https://example.com/steps and walk.";
    fake.then(
        Scripted.call("save_user_profile", COMPLETE),
        Scripted.call("generate_habit_prompt", "{\"delivery_mode\":\"scheduled\"}"),
        Scripted.say(link),
        Scripted.say(link),
        Scripted.say("That did not work this time."));
    line.answered(robin, "a prompt please");
    assertThat(lastSaid(robin)).isEqualTo("That did not work this time.");
    assertThat(line.data(robin)).doesNotContainKeys("preparedHabitPrompt", "lastHabitPrompt");
  }

  @Test
  void aContactThatTheModelMadeUpIsNotSavedEither() {
    var robin = line.greeted();
    fake.then(
        Scripted.call("save_user_profile", "{\"prompt_anchor\":\"coffee, or 1-800-555-0199\"}"),
        Scripted.say("What helps you in the morning?"));
    line.answered(robin, "coffee");
    assertThat(line.data(robin)).doesNotContainKey("userProfile");
    fake.then(
        Scripted.call("save_user_profile", "{\"prompt_anchor\":\"calling 206 555 0142\"}"),
        Scripted.say("I've noted that."));
    line.answered(robin, "after I call my sister on 206 555 0142");
    assertThat(line.data(robin).get("userProfile")).contains("206 555 0142");
  }

  @Test
  void aResumedTurnKeepsTheVerdictAndAsksNothingTwice() {
    var robin = line.greeted();
    var dead = new CountDownLatch(1);
    fake.then(Scripted.say(HELPLINE), Scripted.say("nobody hears this").heldBy(dead));
    line.text(robin, "hello");
    await().until(() -> fake.asked().size() == 2);
    line.write("UPDATE lease SET owner = NULL, held_until = NULL");
    fake.then(Scripted.say(OTHER_HELPLINE));
    line.bean(ConversationFlow.class).handle(robin.id());
    line.awaitTurn(robin, 2);
    assertThat(fake.asked()).as("blocked, died, asked again").hasSize(3);
    assertThat(fake.asked().get(2).body()).isEqualTo(fake.asked().get(1).body());
    assertThat(outcome(robin)).isEqualTo("gated");
    assertThat(line.phone(robin)).last().isEqualTo(texts.errorFallback());
    dead.countDown();
  }

  @Test
  void withoutAModelCallLeftTheFlowsTextIsSent() {
    try (var short1 =
        RunningLine.in(GatesInATurnTest.class)
            .flow(yaml -> yaml.replace("max_iterations: 10", "max_iterations: 1"))
            .start()) {
      var robin = short1.greeted();
      short1.fake().then(Scripted.say(HELPLINE));
      short1.answered(robin, "hello");
      assertThat(short1.fake().asked()).hasSize(1);
      assertThat(short1.turn(robin, 2).orElseThrow()).containsEntry("outcome", "gated");
      assertThat(short1.phone(robin)).last().isEqualTo(texts.errorFallback());
    }
  }

  @Test
  void aRetryInsideAToolIsAModelCallOfTheTurnAndLeavesOneForTheReply() {
    try (var short3 =
        RunningLine.in(GatesInATurnTest.class)
            .flow(yaml -> yaml.replace("max_iterations: 10", "max_iterations: 3"))
            .start()) {
      var robin = short3.greeted();
      var link = Scripted.say("After coffee, see https://example.com/steps and walk.");
      var generate = Scripted.call("generate_habit_prompt", "{\"delivery_mode\":\"scheduled\"}");
      short3
          .fake()
          .then(
              Scripted.call("save_user_profile", COMPLETE),
              generate,
              link,
              Scripted.say("That did not work this time."));
      short3.answered(robin, "a prompt please");
      assertThat(short3.fake().asked()).as("no call was left for a retry").hasSize(4);
      assertThat(short3.phone(robin)).last().isEqualTo("That did not work this time.");

      short3.fake().forget();
      short3
          .fake()
          .then(
              generate,
              link,
              Scripted.say("After coffee, walk fifty steps."),
              Scripted.call("save_user_profile", COFFEE));
      short3.answered(robin, "once more");
      assertThat(short3.fake().asked()).as("the retry was one of three calls").hasSize(4);
      assertThat(short3.turn(robin, 3).orElseThrow()).containsEntry("outcome", "no_text");
    }
  }

  @Test
  void withoutTimeLeftTheFlowsTextIsSent() {
    try (var hurried = RunningLine.in(GatesInATurnTest.class).with("turn.deadline", "3s").start()) {
      var robin = hurried.greeted();
      hurried.fake().then(Scripted.say(HELPLINE), Scripted.hang());
      hurried.answered(robin, "hello");
      assertThat(hurried.turn(robin, 2).orElseThrow()).containsEntry("outcome", "model_failed");
      assertThat(hurried.phone(robin)).last().isEqualTo(texts.errorFallback());
    }
  }

  @Test
  void aGateThatIsOffChecksNothing() {
    try (var open =
        RunningLine.in(GatesInATurnTest.class).study("gates: {contacts: off}\n").start()) {
      var robin = open.greeted();
      open.fake().then(Scripted.say(HELPLINE));
      open.answered(robin, "hello");
      assertThat(open.phone(robin)).last().isEqualTo(HELPLINE);
    }
  }
}
