package org.habitline.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.habitline.Patience;
import org.habitline.RunningLine;
import org.habitline.conversation.stored.IterationContext;
import org.habitline.flows.FlowCatalog;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.StrictFakeServer;
import org.habitline.participants.Participant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A model that cannot be reached costs a turn its own words, never the participant's. */
final class UnreachableModelTest {

  private static final Duration DEADLINE = Duration.ofSeconds(8);

  /** Less than one request may take without the turn's deadline. */
  private static final Duration SOON = Patience.LONG;

  private static RunningLine line;
  private static StrictFakeServer fake;
  private static String fallback;

  @BeforeAll
  static void start() {
    line =
        RunningLine.in(UnreachableModelTest.class)
            .with("turn.deadline", DEADLINE.toMillis() + "ms")
            .with("model.attempt-timeout", SOON.plusMinutes(1).toSeconds() + "s")
            .start();
    fake = line.fake();
    fallback = line.bean(FlowCatalog.class).defaultFlow().texts().errorFallback();
    line.greeted();
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  @AfterEach
  void forget() {
    fake.otherwise(request -> Scripted.say("All right."));
    fake.forget();
  }

  private static void fellBack(Participant participant, Map<String, Object> turn, String reason) {
    assertThat(turn)
        .containsEntry("status", "failed")
        .containsEntry("outcome", "model_failed")
        .hasEntrySatisfying("reason", said -> assertThat(said).asString().contains(reason));
    assertThat(line.phone(participant)).containsExactly("All right.", fallback);
    assertThat(line.transcript(participant))
        .containsExactly("assistant: All right.", "user: hello", "assistant: " + fallback);
    assertThat(
            line.rows(
                "SELECT * FROM event WHERE participant_id = ? AND type = 'turn.failed'",
                participant.id()))
        .as("staff can see it")
        .hasSize(1);
  }

  @Test
  void aServerThatAsksToWaitIsAskedAgainAfterThat() {
    var robin = line.greeted();
    fake.then(Scripted.status(429, Map.of("retry-after-ms", "300")), Scripted.say("Here I am."));
    var began = System.nanoTime();
    assertThat(line.answered(robin, "hello")).containsEntry("outcome", "replied");
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(300));
    assertThat(line.phone(robin)).containsExactly("All right.", "Here I am.");
    assertThat(fake.asked()).hasSize(2);
    assertThat(line.iterations(robin, 2).iteration(1).orElseThrow().metadata().get("receipt"))
        .hasFieldOrPropertyWithValue("attempts", 2);
  }

  @Test
  void aServerThatAsksForMoreTimeThanThereIsIsNotWaitedFor() {
    var robin = line.greeted();
    fake.then(Scripted.status(429, Map.of("Retry-After", "3600")));
    fellBack(robin, line.answered(robin, "hello"), "429");
    assertThat(fake.asked()).hasSize(1);
  }

  @Test
  void aStormOfServerErrorsEndsWithTheTimeOfTheTurn() {
    var robin = line.greeted();
    fake.otherwise(request -> Scripted.status(503, Map.of()));
    var began = System.nanoTime();
    fellBack(robin, line.answered(robin, "hello"), "the model's server");
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(SOON);
    assertThat(fake.asked().size()).isBetween(2, 10);
  }

  @Test
  void aServerThatHangsEndsWithTheTimeOfTheTurn() {
    var robin = line.greeted();
    var never = new CountDownLatch(1);
    fake.otherwise(request -> Scripted.say("too late").heldBy(never));
    var began = System.nanoTime();
    fellBack(robin, line.answered(robin, "hello"), "did not answer in time");
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(SOON);
    never.countDown();
  }

  @Test
  void aBrokenConnectionIsTriedAgain() {
    var robin = line.greeted();
    fake.then(Scripted.brokenConnection(), Scripted.say("Here I am."));
    assertThat(line.answered(robin, "hello")).containsEntry("outcome", "replied");
    assertThat(line.phone(robin)).containsExactly("All right.", "Here I am.");
  }

  @Test
  void connectionsThatKeepBreakingEndInTheFlowsText() {
    var robin = line.greeted();
    fake.otherwise(request -> Scripted.brokenConnection());
    fellBack(robin, line.answered(robin, "hello"), "the model's server");
  }

  @Test
  void aBodyThatIsNoAnswerEndsInTheFlowsText() {
    var robin = line.greeted();
    fake.otherwise(request -> Scripted.raw(200, "text/html", "<html>hello from a proxy</html>"));
    fellBack(robin, line.answered(robin, "hello"), "the model's server");
    assertThat(line.turn(robin, 2).orElseThrow().toString()).doesNotContain("proxy");
  }

  @Test
  void anAnswerWithoutChoicesEndsInTheFlowsText() {
    var robin = line.greeted();
    fake.otherwise(request -> Scripted.raw(200, "application/json", "{\"choices\":[]}"));
    fellBack(robin, line.answered(robin, "hello"), "the model's server");
  }

  @Test
  void aWrongKeyIsNotTriedAgain() {
    var robin = line.greeted();
    fake.then(Scripted.status(401, Map.of()));
    fellBack(robin, line.answered(robin, "hello"), "401");
    assertThat(fake.asked()).hasSize(1);
  }

  @Test
  void whatFinishedBeforeTheTroubleIsCommitted() {
    var robin = line.greeted();
    fake.then(
        Scripted.call("save_user_profile", "{\"prompt_anchor\":\"coffee\"}"),
        Scripted.call("transition_state", "{\"target_state\":\"FEEDBACK\"}"),
        Scripted.status(401, Map.of()));
    fellBack(robin, line.answered(robin, "hello"), "401");
    assertThat(line.data(robin))
        .containsEntry("conversationState", "FEEDBACK")
        .hasEntrySatisfying("userProfile", json -> assertThat(json).contains("coffee"));
    assertThat(line.iterations(robin, 2).iterations())
        .extracting(IterationContext.Iteration::number)
        .containsExactly(1, 2, 3);
    assertThat(line.iterations(robin, 2).iterations())
        .allSatisfy(iteration -> assertThat(iteration.completedAt()).isNotNull());
    assertThat(line.iterations(robin, 2).iteration(3).orElseThrow().metadata())
        .containsEntry("answer", "failed");
  }

  @Test
  void aGreetingThatTheModelCannotWriteIsTheFlowsOwn() {
    fake.then(Scripted.status(401, Map.of()));
    var robin = line.enrol();
    assertThat(line.awaitTurn(robin, 1)).containsEntry("outcome", "model_failed");
    assertThat(line.phone(robin))
        .containsExactly(line.bean(FlowCatalog.class).defaultFlow().texts().greetingFallback());
  }

  @Test
  void theNextTextIsAnsweredAsIfNothingHadBeen() {
    var robin = line.greeted();
    fake.then(Scripted.status(401, Map.of()), Scripted.say("Back again."));
    line.answered(robin, "hello");
    assertThat(line.answered(robin, "are you there?")).containsEntry("outcome", "replied");
    assertThat(line.phone(robin)).containsExactly("All right.", fallback, "Back again.");
    assertThat(fake.asked().getLast().texts("user")).endsWith("hello", "are you there?");
  }
}
