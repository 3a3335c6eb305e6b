package org.habitline.conversation.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.read.ListAppender;
import ch.qos.logback.core.spi.FilterReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.habitline.RunningLine;
import org.habitline.conversation.ConversationFlow;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.IterationContext;
import org.habitline.flows.FlowCatalog;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.Scripted.Call;
import org.habitline.llm.openai.StandIn;
import org.habitline.llm.openai.StrictFakeServer;
import org.habitline.llm.openai.StrictFakeServer.Asked;
import org.habitline.messaging.inbox.InboundHandler.Handled;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.slf4j.LoggerFactory;

/**
 * A turn whose process died goes on where it was: what was answered is not asked again. A process
 * dies here in the middle of a request to the model; its lease is taken away, as the next start
 * does, and what is left of it tries to go on later and must not.
 */
@Tag("database")
@Isolated("It reads the log of the whole process.")
@ResourceLock(value = Resources.SYSTEM_ERR, mode = ResourceAccessMode.READ)
final class JournalTest {

  private static RunningLine line;
  private static StrictFakeServer fake;
  private static String fallback;

  private final List<CountDownLatch> held = new ArrayList<>();

  private final ListAppender<ILoggingEvent> lost = new ListAppender<>();

  @BeforeAll
  static void start() {
    line =
        RunningLine.in(JournalTest.class)
            .prompt("intake_bot_system.txt", "The first edition of the intake prompt.")
            .prompt("prompt_generator_system.txt", "The first edition of the generator prompt.")
            .start();
    fake = line.fake();
    fallback = line.bean(FlowCatalog.class).defaultFlow().texts().errorFallback();
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  @BeforeEach
  void listen() {
    lost.addFilter(
        new Filter<>() {
          @Override
          public FilterReply decide(ILoggingEvent event) {
            return event.getMessage().contains("its lease was lost")
                ? FilterReply.ACCEPT
                : FilterReply.DENY;
          }
        });
    lost.start();
    logger().addAppender(lost);
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger(ConversationFlow.class);
  }

  @AfterEach
  void whatIsLeftOfDeadProcessesChangesNothing() {
    var before =
        line.rows("SELECT participant_id, status, outcome, attempts FROM turn WHERE attempts > 1");
    var sent = line.rows("SELECT * FROM simulated_phone_text");
    letTheDeadGoOn();
    logger().detachAppender(lost);
    assertThat(
            line.rows(
                "SELECT participant_id, status, outcome, attempts FROM turn WHERE attempts > 1"))
        .isEqualTo(before);
    assertThat(line.rows("SELECT * FROM simulated_phone_text")).isEqualTo(sent);
    assertThat(fake.violations()).isEmpty();
    fake.forget();
  }

  /**
   * Waits until each has said that it could not commit. A machine that stood still may make more
   * say it.
   */
  private void letTheDeadGoOn() {
    held.forEach(CountDownLatch::countDown);
    await().until(() -> lost.list.size() >= held.size());
  }

  /** Whoever asks next dies while it waits for the answer. */
  private void diesThen(Scripted... before) {
    fake.then(before).then(Scripted.say("nobody hears this").heldBy(holding()));
  }

  private CountDownLatch holding() {
    var latch = new CountDownLatch(1);
    held.add(latch);
    return latch;
  }

  /** Waits until that many requests were made in all, and lets the process die there. */
  private static void deadAfter(int requests) {
    await().pollInterval(Duration.ofMillis(5)).until(() -> fake.asked().size() == requests);
    line.write("UPDATE lease SET owner = NULL, held_until = NULL");
  }

  private static Handled resume(Participant participant) {
    var handled = line.bean(ConversationFlow.class).handle(participant.id());
    line.awaitTurn(participant, 2);
    return handled;
  }

  private static void answeredOnce(Participant participant, String text) {
    assertThat(line.phone(participant)).containsExactly("All right.", text);
    assertThat(line.transcript(participant))
        .containsExactly("assistant: All right.", "user: hello", "assistant: " + text);
  }

  /** Iterations are numbered without gaps, closed, and add up to the last request. */
  private static void iterationsAreWhole(Participant participant, int howMany) {
    var context = line.iterations(participant, 2);
    assertThat(context.iterations())
        .extracting(IterationContext.Iteration::number)
        .containsExactlyElementsOf(
            java.util.stream.IntStream.rangeClosed(1, howMany).boxed().toList());
    assertThat(context.iterations())
        .allSatisfy(one -> assertThat(one.completedAt()).isNotNull())
        .allSatisfy(one ->
            assertThat(one.toolCalls()).allSatisfy(call -> assertThat(call.result()).isNotNull()));
    assertThat(context.toMessages()).satisfies(fake.asked().getLast()::begins);
  }

  private static Scripted coffee() {
    return Scripted.call("save_user_profile", "{\"prompt_anchor\":\"coffee\"}");
  }

  @Test
  void answersAlreadyPaidForAreNotAskedAgain() {
    var robin = line.greeted();
    diesThen(coffee());
    line.text(robin, "hello");
    deadAfter(2);
    fake.then(Scripted.say("Coffee it is."));
    resume(robin);
    answeredOnce(robin, "Coffee it is.");
    assertThat(fake.asked()).as("one call, one that died, one more").hasSize(3);
    assertThat(fake.asked().get(2).body()).isEqualTo(fake.asked().get(1).body());
    assertThat(line.rows("SELECT * FROM profile_change WHERE participant_id = ?", robin.id()))
        .hasSize(1);
    assertThat(line.turn(robin, 2).orElseThrow())
        .containsEntry("attempts", 2)
        .containsEntry("outcome", "replied");
    iterationsAreWhole(robin, 2);
  }

  @Test
  void aQuirkThatWasLearntInBetweenChangesNoAnswerThatIsPaidFor() {
    var robin = line.greeted();
    var alex = line.greeted();
    diesThen(coffee());
    line.text(robin, "hello");
    deadAfter(2);
    fake.as(StandIn.NO_PARALLEL_PARAMETER);
    line.answered(alex, "hi");
    assertThat(fake.refused()).hasSize(1);
    fake.then(Scripted.say("Coffee it is."));
    resume(robin);
    answeredOnce(robin, "Coffee it is.");
    assertThat(fake.asked()).as("one call, one that died, one of Alex, one more").hasSize(4);
    assertThat(fake.asked().getLast().body().has("parallel_tool_calls")).isFalse();
    assertThat(fake.refused()).hasSize(1);
    iterationsAreWhole(robin, 2);
  }

  @Test
  void anIterationBeforeTheJournaledOneIsKeptWithIt() {
    var robin = line.greeted();
    diesThen(Scripted.say(" "), coffee());
    line.text(robin, "hello");
    deadAfter(3);
    diesThen();
    Thread.startVirtualThread(() -> line.bean(ConversationFlow.class).handle(robin.id()));
    deadAfter(4);
    fake.then(Scripted.say("Coffee it is."));
    resume(robin);
    answeredOnce(robin, "Coffee it is.");
    assertThat(fake.asked()).hasSize(5);
    iterationsAreWhole(robin, 3);
  }

  @Test
  void anAnswerThatWasCutOffIsKeptWithTheJournaledOneAfterIt() {
    var robin = line.greeted();
    diesThen(
        Scripted.cutOff(null, new Call("a", "save_user_profile", "{\"prompt_anchor\":\"tea\"}")),
        coffee());
    line.text(robin, "hello");
    deadAfter(3);
    fake.then(Scripted.call("transition_state", "{\"target_state\":\"FEEDBACK\"}"))
        .then(Scripted.say("Coffee it is."));
    resume(robin);
    answeredOnce(robin, "Coffee it is.");
    assertThat(fake.asked()).hasSize(5);
    iterationsAreWhole(robin, 4);
  }

  private static Scripted generate() {
    return Scripted.calls(
        new Call("a", "save_user_profile", "{\"prompt_anchor\":\"coffee\"}"),
        new Call("b", "save_user_profile", "{\"preferred_time\":\"8:15\"}"),
        new Call("c", "generate_habit_prompt", "{\"delivery_mode\":\"immediate\"}"));
  }

  @Test
  void theAnswerThatAToolPaidForIsNotAskedAgain() {
    var robin = line.greeted();
    diesThen(generate(), Scripted.say("After coffee, walk a minute."));
    line.text(robin, "hello");
    deadAfter(3);
    fake.then(Scripted.say("After coffee, walk a minute."));
    resume(robin);
    answeredOnce(robin, "After coffee, walk a minute.");
    assertThat(fake.asked()).hasSize(4);
    assertThat(line.data(robin)).containsEntry("lastHabitPrompt", "After coffee, walk a minute.");
    iterationsAreWhole(robin, 2);
    assertThat(line.iterations(robin, 2).iteration(1).orElseThrow().metadata())
        .extractingByKey("nested")
        .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
        .hasSize(1);
  }

  @Test
  void aToolThatDiedWhileItAskedAsksTheSameAgain() {
    var robin = line.greeted();
    diesThen(generate());
    line.text(robin, "hello");
    deadAfter(2);
    RunningLine.write(
        line.home().resolve("prompts/prompt_generator_system.txt"), "A second edition.");
    fake.then(Scripted.say("After coffee, walk a minute."), Scripted.say("Here it is."));
    resume(robin);
    answeredOnce(robin, "Here it is.");
    assertThat(fake.asked()).hasSize(4);
    assertThat(fake.asked().get(2).body()).isEqualTo(fake.asked().get(1).body());
    iterationsAreWhole(robin, 2);
    letTheDeadGoOn();
    assertThat(fake.asked()).as("what is left of the dead process asks nothing more").hasSize(4);
  }

  @Test
  void aResumedTurnSeesWhatItsFirstTrySaw() {
    var robin = line.greeted();
    diesThen();
    line.text(robin, "hello");
    deadAfter(1);
    RunningLine.write(line.home().resolve("prompts/intake_bot_system.txt"), "A third edition.");
    line.study().advance(Duration.ofHours(5));
    line.text(robin, "are you there?");
    fake.then(Scripted.say("Hello."), Scripted.say("Yes."));
    resume(robin);
    assertThat(fake.asked().get(1).body()).isEqualTo(fake.asked().get(0).body());
    line.bean(ConversationFlow.class).handle(robin.id());
    line.awaitTurn(robin, 3);
    assertThat(fake.asked().get(2).texts("system").getFirst()).startsWith("A third edition.\n\n");
    assertThat(line.phone(robin)).containsExactly("All right.", "Hello.", "Yes.");
  }

  @Test
  void aTurnOfWhichTheModelFailedIsClosedWithTheStoredReasonAndNobodyIsAskedAgain() {
    var robin = line.greeted();
    fake.then(Scripted.status(401));
    assertThat(line.answered(robin, "hello")).containsEntry("model_failure", "key_refused");
    assertThat(
            line.column(
                "SELECT answer FROM iteration WHERE participant_id = ? AND turn = 2", robin.id()))
        .singleElement()
        .asString()
        .startsWith("{\"type\":\"failed\",\"failure\":\"key_refused\",\"reason\":");
    line.write(
        "UPDATE turn SET status = 'running', outcome = NULL, reason = NULL, model_failure = NULL, completed_at = NULL"
            + " WHERE participant_id = ? AND number = 2",
        robin.id());
    line.write("UPDATE lease SET owner = NULL, held_until = NULL");
    var asked = fake.asked().size();
    resume(robin);
    assertThat(fake.asked()).hasSize(asked);
    assertThat(line.turn(robin, 2).orElseThrow())
        .containsEntry("attempts", 2)
        .containsEntry("outcome", "model_failed")
        .containsEntry("reason", "the model's server answered with HTTP status 401")
        .containsEntry("model_failure", "key_refused");
  }

  @Test
  void theThirdCrashOfATurnClosesIt() {
    var robin = line.greeted();
    diesThen(coffee());
    line.text(robin, "hello");
    deadAfter(2);
    for (int crash = 2; crash <= Claim.ATTEMPTS_AT_MOST; crash++) {
      diesThen();
      Thread.startVirtualThread(() -> line.bean(ConversationFlow.class).handle(robin.id()));
      deadAfter(crash + 1);
    }
    resume(robin);
    answeredOnce(robin, fallback);
    assertThat(fake.asked()).hasSize(1 + Claim.ATTEMPTS_AT_MOST);
    assertThat(line.turn(robin, 2).orElseThrow())
        .containsEntry("status", "failed")
        .containsEntry("outcome", "crashed");
    assertThat(line.iterations(robin, 2).iterations())
        .as("nothing is in progress any more")
        .allSatisfy(one -> assertThat(one.completedAt()).isNotNull())
        .allSatisfy(one ->
            assertThat(one.toolCalls())
                .allSatisfy(call -> assertThat(String.valueOf(call.result())).contains("error")));
    letTheDeadGoOn();
    fake.then(Scripted.say("Here I am again."));
    assertThat(line.answered(robin, "hello?")).containsEntry("outcome", "replied");
  }

  /** On a file nobody can have taken it meanwhile; elsewhere somebody might be about to. */
  @Test
  void aLeaseThatRanOutCommitsOnlyWhereNobodyCompetesAndNeverCountsAsACrash() {
    var robin = line.greeted();
    var suspends = onFile() ? 1 : Claim.ATTEMPTS_AT_MOST + 1;
    for (int suspend = 1; suspend <= suspends; suspend++) {
      var latch = onFile() ? new CountDownLatch(1) : holding();
      fake.then(Scripted.say("answer " + suspend).heldBy(latch));
      if (suspend == 1) {
        line.text(robin, "hello");
      }
      var asked = suspend;
      await().until(() -> fake.asked().size() == asked);
      line.system().advance(Duration.ofSeconds(31));
      if (suspend == suspends && !onFile()) {
        fake.then(Scripted.say("in time"));
      }
      latch.countDown();
    }
    line.awaitTurn(robin, 2);
    answeredOnce(robin, onFile() ? "answer 1" : "in time");
    assertThat(line.turn(robin, 2).orElseThrow()).containsEntry("attempts", 1);
  }

  private static boolean onFile() {
    return line.home().resolve("data/habitline.mv.db").toFile().exists();
  }

  @Test
  void aLeaseThatWasTakenOverCanNeitherJournalNorCommit() {
    var robin = line.greeted();
    var latch = holding();
    fake.then(coffee().heldBy(latch), Scripted.say("never asked for"));
    line.text(robin, "hello");
    await().until(() -> fake.asked().size() == 1);
    line.write(
        "UPDATE lease SET owner = 'node_elsewhere', token = token + 1, held_until = '2999-01-01 00:00:00+00' WHERE participant_id = ?",
        robin.id());
    assertThat(line.bean(ConversationFlow.class).handle(robin.id()))
        .isInstanceOf(Handled.Nothing.class);
    letTheDeadGoOn();
    assertThat(
            line.rows("SELECT * FROM iteration WHERE participant_id = ? AND turn = 2", robin.id()))
        .isEmpty();
    assertThat(line.turn(robin, 2).orElseThrow()).containsEntry("status", "running");
    assertThat(line.phone(robin)).containsExactly("All right.");
    line.write("UPDATE lease SET owner = NULL, held_until = NULL");
    line.awaitTurn(robin, 2);
  }

  @Test
  @Tag("file")
  void theNextProcessOnTheSameFileTakesOverAtOnce() {
    RunningLine.write(
        line.home().resolve("prompts/intake_bot_system.txt"), "Usually at {{daily_prompt.at}}.");
    var robin = line.greeted();
    diesThen(coffee());
    line.text(robin, "hello");
    await().until(() -> fake.asked().size() == 2);
    fake.then(Scripted.say("Coffee it is."));
    var next = line.second().with("default-schedule", "09:30").start();
    try {
      next.awaitTurn(robin, 2);
      answeredOnce(robin, "Coffee it is.");
      assertThat(fake.asked()).hasSize(3);
      assertThat(fake.asked().get(2).texts("system").getFirst())
          .as("what its first try saw, whatever the settings say now")
          .startsWith("Usually at 11:15.");
      assertThat(fake.asked().get(2).body()).isEqualTo(fake.asked().get(1).body());
      iterationsAreWhole(robin, 2);
    } finally {
      next.stop();
    }
  }

  @Test
  void twoProcessesOnOneDatabaseAnswerEveryTextOnce() {
    var other = line.second().start();
    try {
      fake.otherwise(asked -> Scripted.say("You said " + asked.lastUserText()));
      var people = new ArrayList<Participant>();
      for (int n = 0; n < 6; n++) {
        people.add(line.enrol(ChannelKind.SIMULATOR, "Robin " + n));
      }
      people.forEach(person -> line.awaitTurn(person, 1));
      fake.forget();
      for (int text = 1; text <= 5; text++) {
        for (int n = 0; n < people.size(); n++) {
          ((n + text) % 2 == 0 ? line : other).text(people.get(n), "text " + text);
        }
      }
      await().until(() -> line.rows("SELECT * FROM inbox WHERE status <> 'done'").isEmpty());
      var asked = fake.asked().stream().map(Asked::body).toList();
      assertThat(java.util.Set.copyOf(asked)).as("no request was made twice").hasSize(asked.size());
      for (var person : people) {
        assertThat(line.transcript(person))
            .filteredOn(row -> row.startsWith("user"))
            .containsExactly(
                "user: text 1", "user: text 2", "user: text 3", "user: text 4", "user: text 5");
        line.awaitTurn(person, line.turns(person));
        assertThat(line.phone(person)).hasSize(line.turns(person));
        assertThat(
                line.column(
                    "SELECT DISTINCT attempts FROM turn WHERE participant_id = ?", person.id()))
            .containsExactly("1");
      }
      assertThat(line.rows("SELECT * FROM outbox WHERE attempts > 1")).isEmpty();
    } finally {
      fake.otherwise(asked -> Scripted.say("All right."));
      other.stop();
    }
  }
}
