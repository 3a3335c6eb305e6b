package org.habitline.staff.bulk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.habitline.RunningLine;
import org.habitline.messaging.TestChannel;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Carrying out bulk actions, with processes that die and processes that work at once. */
final class BulkRunTest {

  private static final Actor SAM = new Actor("Sam", "staff");
  private static final AtomicInteger TESTS = new AtomicInteger();

  private static RunningLine line;

  /** What only this test writes. */
  private final String words = "The study phone is closed on day " + TESTS.incrementAndGet() + ".";

  @BeforeAll
  static void start() {
    // Only what these tests call carries actions out.
    line =
        RunningLine.in(BulkRunTest.class)
            .study("budgets: {study: {segments: 200}}\n")
            .bean(new TestChannel(ChannelKind.SMS))
            .start();
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  /** What a test left to do is no work of the next one. */
  @AfterEach
  void carryOutTheRest() {
    await().until(() -> !line.bean(BulkRun.class).carryOutNext());
  }

  private List<Participant> some(int count) {
    return IntStream.range(0, count).mapToObj(i -> line.enrol(ChannelKind.SIMULATOR)).toList();
  }

  private String confirmed(RunningLine node, List<Participant> people, String text) {
    var desk = node.bean(BulkDesk.class);
    var id =
        desk.preview(
            SAM,
            BulkKind.MESSAGE,
            people.stream().map(Participant::id).toList(),
            new BulkDesk.What(text, null));
    desk.confirm(SAM, id, String.valueOf(people.size()), null);
    return id;
  }

  private List<String> written() {
    return line.column(
        "SELECT participant_id FROM message WHERE author = 'staff' AND content = ? ORDER BY seq",
        words);
  }

  private static boolean ended(RunningLine node, String id) {
    return node.bean(BulkDesk.class).get(id).status() == BulkStatus.DONE;
  }

  private void stopSending() {
    line.write(
        "INSERT INTO sending_stop (id, stopped_at, stopped_by, reason) VALUES (1, ?, 'Kim', 'a"
            + " test')",
        line.system().instant().atOffset(ZoneOffset.UTC));
    line.system().advance(Duration.ofSeconds(2));
  }

  private void resumeSending() {
    line.write("DELETE FROM sending_stop");
    line.system().advance(Duration.ofSeconds(2));
  }

  @Test
  void nothingBeginsBeforeItsTimeAndAProcessThatDiesInTheMiddleIsContinued() {
    var people = some(5);
    var id = confirmed(line, people, words);
    var run = line.bean(BulkRun.class);
    line.system().advance(Duration.ofSeconds(9));
    assertThat(run.carryOutNext()).isFalse();
    line.system().advance(Duration.ofSeconds(1));
    assertThat(run.carryOutNext()).isTrue();
    assertThat(run.carryOutNext()).isTrue();
    assertThat(written()).hasSize(2);
    assertThat(line.bean(BulkDesk.class).get(id).count(BulkTargetStatus.WAITING)).isEqualTo(3);
    line.stop();
    line = line.second().start();
    var next = line.bean(BulkRun.class);
    next.start();
    await().until(() -> ended(line, id));
    next.stop();
    assertThat(written()).containsExactlyElementsOf(people.stream().map(Participant::id).toList());
    for (var person : people) {
      await().until(() -> line.phone(person).stream().filter(words::equals).count() == 1);
    }
  }

  @Test
  void processesThatWorkAtOnceWriteToEachOnce() throws InterruptedException, ExecutionException {
    var people = some(12);
    var ids =
        IntStream.range(0, 3)
            .mapToObj(i -> confirmed(line, people.subList(i * 4, i * 4 + 4), words))
            .toList();
    line.system().advance(BulkDesk.UNDONE_WITHIN);
    var run = line.bean(BulkRun.class);
    Callable<Integer> sweep =
        () -> {
          var steps = 0;
          while (ids.stream().anyMatch(id -> !ended(line, id))) {
            steps += run.carryOutNext() ? 1 : 0;
          }
          return steps;
        };
    try (var workers = Executors.newFixedThreadPool(4)) {
      var sweeps = new ArrayList<Callable<Integer>>(List.of(sweep, sweep, sweep, sweep));
      for (var result : workers.invokeAll(sweeps)) {
        assertThat(result.get()).isNotNegative();
      }
    }
    assertThat(written().stream().collect(Collectors.groupingBy(it -> it, Collectors.counting())))
        .hasSize(12)
        .allSatisfy((person, times) -> assertThat(times).isEqualTo(1));
  }

  @Test
  void theRestCanBeStoppedWhileItRuns() {
    var people = some(3);
    var id = confirmed(line, people, words);
    line.system().advance(BulkDesk.UNDONE_WITHIN);
    var run = line.bean(BulkRun.class);
    assertThat(run.carryOutNext()).isTrue();
    var desk = line.bean(BulkDesk.class);
    desk.undo(SAM, id);
    assertThat(run.carryOutNext()).isFalse();
    assertThat(written()).containsExactly(people.getFirst().id());
    var action = desk.get(id);
    assertThat(action.status()).isEqualTo(BulkStatus.UNDONE);
    assertThat(action.count(BulkTargetStatus.DONE)).isEqualTo(1);
    assertThat(action.count(BulkTargetStatus.UNDONE)).isEqualTo(2);
  }

  @Test
  void onlyAFewMessagesWaitAtOnceAndOtherActionsGoOnMeanwhile() {
    var people = some(BulkRun.MOST_WAITING + 2);
    stopSending();
    var id = confirmed(line, people, words);
    var desk = line.bean(BulkDesk.class);
    var paused =
        desk.preview(SAM, BulkKind.PAUSE, List.of(people.getLast().id()), BulkDesk.What.LATER);
    desk.confirm(SAM, paused, null, null);
    line.system().advance(BulkDesk.UNDONE_WITHIN);
    var run = line.bean(BulkRun.class);
    await().until(() -> !run.carryOutNext() && ended(line, paused));
    assertThat(written()).hasSize(BulkRun.MOST_WAITING);
    resumeSending();
    await()
        .until(() -> {
          line.system().advance(Duration.ofSeconds(1));
          return !run.carryOutNext() && ended(line, id);
        });
    assertThat(written()).hasSize(BulkRun.MOST_WAITING + 1);
    assertThat(desk.get(id).count(BulkTargetStatus.EXCLUDED)).isEqualTo(1);
  }

  @Test
  void whoeverIsAsleepGetsItInTheMorningAndOthersNow() {
    var asleep = line.enrol(ChannelKind.SMS);
    var awake = line.enrol(ChannelKind.SIMULATOR);
    var id = confirmed(line, List.of(asleep, awake), words);
    var night = Duration.ofHours(16);
    line.study().advance(night);
    line.system().advance(BulkDesk.UNDONE_WITHIN);
    var run = line.bean(BulkRun.class);
    await().until(() -> !run.carryOutNext());
    assertThat(written()).containsExactly(awake.id());
    assertThat(line.bean(BulkDesk.class).get(id).status()).isEqualTo(BulkStatus.WAITING);
    line.study().advance(Duration.ofDays(1).minus(night));
    line.system().advance(Duration.ofHours(12));
    await().until(() -> !run.carryOutNext() && ended(line, id));
    assertThat(written()).containsExactly(awake.id(), asleep.id());
  }

  @Test
  void whatTodaysBudgetDoesNotAllowIsNotConfirmed() {
    var people = Stream.generate(() -> line.enrol(ChannelKind.SMS)).limit(20).toList();
    var everything = "The study phone is closed. ".repeat(80);
    assertThatThrownBy(() -> confirmed(line, people, everything))
        .isInstanceOf(ApiProblem.class)
        .hasMessageMatching(
            "count: The messages need \\d+ segments, but the study's budget for today has only \\d+"
                + " segments left\\. .*");
  }

  @Test
  void whileAllSendingIsStoppedTheMessagesWaitLikeOthers() {
    var person = line.greeted();
    stopSending();
    var id = confirmed(line, List.of(person), words);
    line.system().advance(BulkDesk.UNDONE_WITHIN);
    assertThat(line.bean(BulkRun.class).carryOutNext()).isTrue();
    assertThat(line.bean(BulkDesk.class).get(id).count(BulkTargetStatus.DONE)).isEqualTo(1);
    assertThat(
            line.column(
                "SELECT status FROM outbox WHERE kind = 'staff' AND participant_id = ?",
                person.id()))
        .containsExactly("planned");
    resumeSending();
    await().until(() -> line.phone(person).contains(words));
  }
}
