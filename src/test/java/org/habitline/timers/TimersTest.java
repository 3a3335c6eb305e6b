package org.habitline.timers;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.habitline.Rows;
import org.habitline.RunningLine;
import org.habitline.SqlCounts;
import org.habitline.participants.Participant;
import org.habitline.storage.Transactions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is due becomes work in the inbox, each once, however many there are. */
@Tag("database")
final class TimersTest {

  /** More than two batches. */
  private static final int MANY = 1_100;

  private static RunningLine line;
  private static Timers timers;
  private static Sweeps sweeps;
  private Participant robin;
  private Participant wren;

  @BeforeAll
  static void build() {
    line = RunningLine.in(TimersTest.class).bean(new SqlCounts()).build();
    timers = line.bean(Timers.class);
    sweeps = line.bean(Sweeps.class);
  }

  @AfterAll
  static void close() {
    line.close();
  }

  @BeforeEach
  void enrol() {
    Rows.of(line).forgetEverybody();
    robin = line.enrol();
    wren = line.enrol();
  }

  /** Plans as many for each of the two, in turn. */
  private void plan(int number, Instant due) {
    var transactions = line.bean(Transactions.class);
    var _ =
        transactions.write(() ->
            IntStream.range(0, number)
                .mapToObj(i -> timers.plan(wakeup(i % 2 == 0 ? robin : wren, due, i)))
                .toList());
  }

  private static Timers.Plan wakeup(Participant of, Instant due, int which) {
    return new Timers.Plan(
        of.id(), WakeupKind.CHECK_IN, due, of.zone(), "turn 1", String.valueOf(which));
  }

  private List<String> work() {
    return line.column("SELECT body FROM inbox WHERE kind = 'woke' ORDER BY seq");
  }

  private List<String> rung() {
    return line.column("SELECT id FROM wakeup WHERE status = 'rung'");
  }

  private int events(Participant of) {
    return line.rows(
            "SELECT seq FROM event WHERE participant_id = ? AND payload LIKE '%woke%'", of.id())
        .size();
  }

  @Test
  void everythingThatIsDueBecomesWorkOnceWithAnEventForEach() {
    plan(MANY, line.study().instant());
    assertThat(sweeps.sweep()).isEqualTo(MANY);
    assertThat(work()).hasSize(MANY).containsExactlyInAnyOrderElementsOf(rung());
    assertThat(events(robin)).isEqualTo(MANY / 2);
    assertThat(events(wren)).isEqualTo(MANY / 2);
    assertThat(sweeps.sweep()).isZero();
  }

  @Test
  void whatIsDueFirstIsWorkFirstAndWhatIsNotDueWaits() {
    var now = line.study().instant();
    plan(1, now);
    var second = timers.open(robin.id()).getFirst().id();
    line.write("UPDATE wakeup SET only_one = 'another'");
    plan(1, now.minusSeconds(60));
    var first = timers.open(robin.id()).getFirst().id();
    line.write("UPDATE wakeup SET only_one = NULL");
    plan(1, now.plusSeconds(1));
    assertThat(sweeps.sweep()).isEqualTo(2);
    assertThat(work()).containsExactly(first, second);
  }

  @Test
  void whatIsInTheInboxAlreadyIsNotDoubledAndHoldsUpNothing() {
    plan(2, line.study().instant());
    sweeps.sweep();
    line.write("UPDATE wakeup SET status = 'waiting', only_one = NULL");
    plan(2, line.study().instant());
    assertThat(sweeps.sweep()).isEqualTo(4);
    assertThat(work()).hasSize(4).doesNotHaveDuplicates();
    assertThat(rung()).hasSize(4);
  }

  @Test
  void sweepsAtTheSameTimeFindEachOnce() throws Exception {
    plan(MANY, line.study().instant());
    try (var threads = Executors.newFixedThreadPool(3)) {
      Callable<Integer> sweep = sweeps::sweep;
      var found = 0;
      for (var one : threads.invokeAll(List.of(sweep, sweep, sweep))) {
        found += one.get();
      }
      assertThat(found).isEqualTo(MANY);
    }
    assertThat(work()).hasSize(MANY).doesNotHaveDuplicates();
  }

  @Test
  void aBatchCostsAsManyStatementsHoweverManyWakeUpsItHas() {
    assertThat(statements(100)).isEqualTo(statements(2));
  }

  private int statements(int wakeups) {
    plan(wakeups, line.study().instant());
    line.bean(SqlCounts.class).forget();
    sweeps.sweep();
    return line.bean(SqlCounts.class).of(Thread.currentThread().getName()).size();
  }
}
