package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.SoftAssertions.assertSoftly;

import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.habitline.whole.CoachScript.Step;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Nothing is lost and nothing happens twice, wherever the process dies: the packaged jar is killed
 * with signal 9 at one exact point of a turn, started again, and what it left is counted. Each
 * build tries a point of each kind, the long tests all of them.
 */
class CrashIT {

  @TempDir static Path homes;
  private static Lines lines;

  @BeforeAll
  static void open() {
    lines = new Lines(homes);
  }

  @AfterAll
  static void end() {
    printTheMatrix();
    lines.endDiscreetly(TEXT, AFTERWARDS, "I heard", "the coach");
  }

  private static final String TEXT = "Plan my morning walk";

  private static final String AFTERWARDS = "Are you there?";

  /** What came of each point, in the order in which a turn reaches them. */
  private static final Map<Point, String> TURNS =
      Collections.synchronizedMap(new EnumMap<>(Point.class));

  private static final Map<GreetingPoint, String> GREETINGS =
      Collections.synchronizedMap(new EnumMap<>(GreetingPoint.class));

  /** Where the process dies, and which requests may then be made a second time. */
  enum Point {
    ACKNOWLEDGED("just after the text was acknowledged"),
    CLAIMING("inside the claim", "conversation.TurnClaim", "begin", 1, 1, null),
    CLAIMED("claimed, before anything else", "conversation.ConversationFlow", "answer", 1, 2, null),
    THINKING("while the model thinks", Step.FIRST),
    ANSWERED("answered, not journaled", "conversation.model.Journal", "keep", 1, 2, Step.FIRST),
    JOURNALED("journaled, tools not run", "conversation.model.ToolLoop", "runCalls", 1, 2, null),
    BETWEEN("between two iterations", Step.SECOND),
    SECOND_JOURNALED(
        "second journaled, not run", "conversation.model.ToolLoop", "runCalls", 2, 2, null),
    NESTED_THINKING("while the nested call thinks", Step.NESTED),
    NESTED_ANSWERED(
        "nested answered, not journaled", "conversation.model.Journal", "keep", 3, 2, Step.NESTED),
    NESTED_JOURNALED("nested journaled", "conversation.model.Journal", "completed", 2, 2, null),
    SPEAKING("while the model writes the reply", Step.THIRD),
    COMMITTING("before the commit", "conversation.TurnCommit", "commit", 1, 2, Step.THIRD),
    IN_COMMIT(
        "inside the commit, texts planned", "messaging.outbox.Outbox", "plan", 1, 2, Step.THIRD),
    END_OF_COMMIT(
        "inside the commit, journal closed",
        "conversation.model.Journal",
        "finish",
        1,
        2,
        Step.THIRD),
    COMMITTED("committed, not sent", "messaging.outbox.OutboxLoop", "send", 1, 1, null),
    SENT("sent, not recorded", "messaging.outbox.DeliveryRecorder", "record", 1, 1, null);

    private final String words;
    private final @Nullable Step held;
    private final @Nullable String className;
    private final String method;
    private final int nth;
    private final int attempts;
    private final @Nullable Step askedAgain;

    Point(String words) {
      this(words, null, null, "", 0, 0, null);
    }

    Point(String words, Step held) {
      this(words, held, null, "", 0, 2, held);
    }

    Point(
        String words,
        String className,
        String method,
        int nth,
        int attempts,
        @Nullable Step askedAgain) {
      this(words, null, className, method, nth, attempts, askedAgain);
    }

    Point(
        String words,
        @Nullable Step held,
        @Nullable String className,
        String method,
        int nth,
        int attempts,
        @Nullable Step askedAgain) {
      this.words = words;
      this.held = held;
      this.className = className;
      this.method = method;
      this.nth = nth;
      this.attempts = attempts;
      this.askedAgain = askedAgain;
    }

    @Override
    public String toString() {
      return words;
    }
  }

  @ParameterizedTest(name = "{0}")
  @Execution(ExecutionMode.CONCURRENT)
  @EnumSource(
      names = {
        "ACKNOWLEDGED",
        "CLAIMING",
        "THINKING",
        "ANSWERED",
        "JOURNALED",
        "NESTED_JOURNALED",
        "END_OF_COMMIT",
        "COMMITTED",
        "SENT"
      })
  void aTurnSurvivesTheDeathOfItsProcess(Point point) {
    lines.with(line -> dieAndGoOn(line, point));
  }

  @ParameterizedTest(name = "{0}")
  @Tag("endurance")
  @Execution(ExecutionMode.CONCURRENT)
  @EnumSource
  void aTurnSurvivesTheDeathOfItsProcessAnywhere(Point point) {
    lines.with(line -> dieAndGoOn(line, point));
  }

  private static void dieAndGoOn(Deployment line, Point point) {
    var script = CoachScript.playedBy(line.model());
    var id = line.enrolAndGreet(Lines.nextPhone());
    textAndDie(line, script, id, point);
    line.startWithDebugger();
    line.awaitOnPhone(id, CoachScript.reply(TEXT));
    line.textAndAwaitAnswer(id, AFTERWARDS);
    check(line, script, id, point);
  }

  private static void textAndDie(Deployment line, CoachScript script, String id, Point point) {
    if (point.held != null) {
      script.hold(point.held);
      line.text(id, TEXT);
      script.await(point.held);
      line.kill();
      script.release(point.held);
    } else if (point.className != null) {
      var death = line.willDieAt(point.className, point.method, point.nth);
      line.text(id, TEXT);
      Deployment.await(death);
    } else {
      line.text(id, TEXT);
      line.kill();
    }
  }

  private static void check(Deployment line, CoachScript script, String id, Point point) {
    var ledger = line.ledgerNow();
    var asked = script.asked();
    TURNS.put(point, row(point.words, ledger, id, asked, ledger.turns(id)));
    assertSoftly(softly -> {
      softly.assertThat(ledger.said(id)).containsExactly(TEXT, AFTERWARDS);
      softly
          .assertThat(ledger.answered(id))
          .containsExactly(
              CoachScript.GREETING, CoachScript.reply(TEXT), CoachScript.reply(AFTERWARDS));
      softly.assertThat(ledger.arrived(id)).isEqualTo(ledger.answered(id));
      softly
          .assertThat(ledger.deliveries(id))
          .containsExactly("reply accepted", "prompt_now accepted", "reply accepted");
      softly.assertThat(ledger.openInbox()).isZero();
      softly.assertThat(ledger.iterations(id, 2)).containsExactly("1.0", "2.0", "2.1", "3.0");
      softly
          .assertThat(ledger.profileChanges(id))
          .containsExactlyInAnyOrder(
              "prompt_anchor=\"" + TEXT + "\"", "preferred_time=\"at eight\"");
      softly.assertThat(ledger.data(id, "conversationState")).isEqualTo("FEEDBACK");
      softly.assertThat(ledger.data(id, "lastHabitPrompt")).isEqualTo(CoachScript.HABIT_PROMPT);
      softly.assertThat(line.model().violations()).isEmpty();
      if (point == Point.ACKNOWLEDGED) {
        softly.assertThat(ledger.turns(id)).element(1).asString().matches("2 done replied [12]");
        softly.assertThat(asked.values()).allMatch(times -> times <= 2);
      } else {
        softly
            .assertThat(ledger.turns(id))
            .containsExactly(
                "1 done replied 1", "2 done replied " + point.attempts, "3 done replied 1");
        for (var step : List.of(Step.FIRST, Step.SECOND, Step.NESTED, Step.THIRD)) {
          softly
              .assertThat(script.asked(step))
              .as("requests of " + step)
              .isEqualTo(step == point.askedAgain ? 2 : 1);
        }
      }
    });
  }

  private static String row(
      String words, Ledger ledger, String id, Map<Step, Integer> asked, List<String> turns) {
    var again =
        asked.entrySet().stream()
            .filter(entry -> entry.getValue() > 1)
            .map(entry -> entry.getKey().name().toLowerCase(Locale.ROOT) + " x" + entry.getValue())
            .toList();
    return "| %-40s | %-14s | %d | %d | %d | %d | %-22s |"
        .formatted(
            words,
            again.isEmpty() ? "no" : String.join(", ", again),
            ledger.said(id).size(),
            ledger.answered(id).size(),
            ledger.arrived(id).size(),
            ledger.profileChanges(id).size(),
            turns.size() < 2 ? "" : turns.get(turns.size() - 2));
  }

  private static void printTheMatrix() {
    System.out.println();
    System.out.println(
        "| killed                                   | asked again?   | said | replies | on the phone | profile changes | the turn |");
    System.out.println("|---|---|---|---|---|---|---|");
    TURNS.values().forEach(System.out::println);
    GREETINGS.values().forEach(System.out::println);
  }

  /** The same for the turn that greets, which no text began. */
  enum GreetingPoint {
    THINKING("greeting: while the model thinks", 2, 2),
    COMMITTING("greeting: before the commit", 2, 2),
    COMMITTED("greeting: committed, not sent", 1, 1),
    SENT("greeting: sent, not recorded", 1, 1);

    private final String words;
    private final int attempts;
    private final int asked;

    GreetingPoint(String words, int attempts, int asked) {
      this.words = words;
      this.attempts = attempts;
      this.asked = asked;
    }

    @Override
    public String toString() {
      return words;
    }
  }

  @ParameterizedTest(name = "{0}")
  @Execution(ExecutionMode.CONCURRENT)
  @EnumSource(names = {"COMMITTING", "SENT"})
  void aGreetingSurvivesTheDeathOfItsProcess(GreetingPoint point) {
    lines.with(line -> greetAndDie(line, point));
  }

  @ParameterizedTest(name = "{0}")
  @Tag("endurance")
  @Execution(ExecutionMode.CONCURRENT)
  @EnumSource
  void aGreetingSurvivesTheDeathOfItsProcessAnywhere(GreetingPoint point) {
    lines.with(line -> greetAndDie(line, point));
  }

  private static void greetAndDie(Deployment line, GreetingPoint point) {
    var script = CoachScript.playedBy(line.model());
    var id = enrolAndDie(line, script, point);
    line.startWithDebugger();
    line.textAndAwaitAnswer(id, AFTERWARDS);
    var ledger = line.ledgerNow();
    GREETINGS.put(point, row(point.words, ledger, id, script.asked(), ledger.turns(id)));
    assertThat(ledger.answered(id))
        .containsExactly(CoachScript.GREETING, CoachScript.reply(AFTERWARDS));
    assertThat(ledger.arrived(id)).isEqualTo(ledger.answered(id));
    assertThat(ledger.said(id)).containsExactly(AFTERWARDS);
    assertThat(ledger.openInbox()).isZero();
    assertThat(ledger.turns(id))
        .containsExactly("1 done replied " + point.attempts, "2 done replied 1");
    assertThat(script.asked(Step.GREETING)).isEqualTo(point.asked);
  }

  private static String enrolAndDie(Deployment line, CoachScript script, GreetingPoint point) {
    if (point == GreetingPoint.THINKING) {
      script.hold(Step.GREETING);
      var id = line.enrol(Lines.nextPhone());
      script.await(Step.GREETING);
      line.kill();
      script.release(Step.GREETING);
      return id;
    }
    var death =
        switch (point) {
          case THINKING, COMMITTING -> line.willDieAt("conversation.TurnCommit", "commit", 1);
          case COMMITTED -> line.willDieAt("messaging.outbox.OutboxLoop", "send", 1);
          case SENT -> line.willDieAt("messaging.outbox.DeliveryRecorder", "record", 1);
        };
    script.hold(Step.GREETING);
    var id = line.enrol(Lines.nextPhone());
    script.release(Step.GREETING);
    Deployment.await(death);
    return id;
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void aTurnThatKillsTheProcessThreeTimesIsClosedWithTheFallbackTextOnce() {
    lines.with(line -> {
      var script = CoachScript.playedBy(line.model());
      var id = line.enrolAndGreet(Lines.nextPhone());
      var death = line.willDieAt("conversation.model.Journal", "keep", 1);
      line.text(id, TEXT);
      Deployment.await(death);
      line.startAndDieAt("conversation.model.Journal", "keep");
      line.startAndDieAt("conversation.model.Journal", "keep");
      line.startWithDebugger();
      line.awaitTexts(id, 2);
      line.textAndAwaitAnswer(id, AFTERWARDS);
      var ledger = line.ledgerNow();
      assertThat(script.asked(Step.FIRST)).isEqualTo(3);
      assertThat(ledger.turns(id))
          .containsExactly("1 done replied 1", "2 failed crashed 4", "3 done replied 1");
      assertThat(ledger.said(id)).containsExactly(TEXT, AFTERWARDS);
      assertThat(ledger.arrived(id))
          .hasSize(3)
          .startsWith(CoachScript.GREETING)
          .endsWith(CoachScript.reply(AFTERWARDS))
          .element(1)
          .asString()
          .contains("can't answer properly right now");
      assertThat(ledger.profileChanges(id)).isEmpty();
      assertThat(ledger.openInbox()).isZero();
    });
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void aTextOfUnknownFateIsLookedUpThoughTheProcessDiesAgain() {
    lines.with(line -> {
      CoachScript.playedBy(line.model());
      var id = line.enrolAndGreet(Lines.nextPhone());
      var death = line.willDieAt("messaging.outbox.DeliveryRecorder", "record", 1);
      line.text(id, TEXT);
      Deployment.await(death);
      line.startAndDieAt("messaging.outbox.OutboxLoop", "lookUp");
      line.startAndDieAt("messaging.outbox.DeliveryRecorder", "record");
      line.startWithDebugger();
      line.textAndAwaitAnswer(id, AFTERWARDS);
      var ledger = line.ledgerNow();
      assertThat(ledger.arrived(id))
          .containsExactly(
              CoachScript.GREETING, CoachScript.reply(TEXT), CoachScript.reply(AFTERWARDS));
      assertThat(ledger.deliveries(id))
          .containsExactly("reply accepted", "prompt_now accepted", "reply accepted");
    });
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void answersPaidForBeforeSeveralDeathsAreAllUsedInTheEnd() {
    lines.with(line -> {
      var script = CoachScript.playedBy(line.model());
      var id = line.enrolAndGreet(Lines.nextPhone());
      var death = line.willDieAt("conversation.model.ToolLoop", "runCalls", 1);
      line.text(id, TEXT);
      Deployment.await(death);
      line.startAndDieAt("conversation.TurnCommit", "commit");
      line.startWithDebugger();
      line.textAndAwaitAnswer(id, AFTERWARDS);
      var ledger = line.ledgerNow();
      assertThat(ledger.turns(id))
          .containsExactly("1 done replied 1", "2 done replied 3", "3 done replied 1");
      assertThat(ledger.turnsThatChanged(id, "prompt_anchor")).hasSize(1);
      assertThat(script.asked())
          .containsEntry(Step.FIRST, 1)
          .containsEntry(Step.SECOND, 1)
          .containsEntry(Step.NESTED, 1)
          .containsEntry(Step.THIRD, 2);
    });
  }
}
