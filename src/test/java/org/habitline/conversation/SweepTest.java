package org.habitline.conversation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import org.habitline.RunningLine;
import org.habitline.conversation.wakeups.PromptDay;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.timers.Sweeps;
import org.habitline.timers.Timers;
import org.habitline.timers.WakeupKind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whoever sweeps, and however many at once: every wake-up rings once. */
@Tag("database")
final class SweepTest {

  private static PromptDay day;

  @BeforeAll
  static void start() {
    day = PromptDay.of(SweepTest.class);
  }

  @AfterAll
  static void stop() {
    day.close();
  }

  @BeforeEach
  void begin() {
    day.begin();
  }

  /** Lets each of these sweep twice, all at the same time; returns how many wake-ups rang. */
  private static int sweptTogether(RunningLine... lines) throws Exception {
    var sweeps = new ArrayList<Callable<Integer>>();
    var together = new CyclicBarrier(2 * lines.length);
    for (var line : lines) {
      for (int n = 0; n < 2; n++) {
        sweeps.add(() -> {
          together.await();
          return line.bean(Sweeps.class).sweep();
        });
      }
    }
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var rung = 0;
      for (var swept : threads.invokeAll(sweeps)) {
        rung += swept.get();
      }
      return rung;
    }
  }

  private static void plan(Participant robin, int number) {
    for (int n = 0; n < number; n++) {
      day.line()
          .bean(Timers.class)
          .plan(
              new Timers.Plan(
                  robin.id(),
                  WakeupKind.TRANSITION,
                  Instant.parse(day.utc("12:00")).plusSeconds(n % 7),
                  robin.zone(),
                  "FEEDBACK",
                  "" + n));
    }
  }

  private static void rangOnce(Participant robin, int number) {
    var rung =
        day.line()
            .column(
                "SELECT body FROM inbox WHERE participant_id = ? AND kind = 'woke'", robin.id());
    assertThat(rung).hasSize(number).doesNotHaveDuplicates();
    assertThat(day.wakeups(robin)).isEmpty();
  }

  @Test
  void twoSweepsOfOneProcessRingEveryWakeupOnce() throws Exception {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    plan(robin, 1200);
    day.busy(
        robin,
        () -> {
          day.at("12:01");
          try {
            assertThat(sweptTogether(day.line())).isEqualTo(1200);
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
          rangOnce(robin, 1200);
          day.line()
              .write(
                  "UPDATE inbox SET status = 'done' WHERE participant_id = ? AND kind = 'woke'",
                  robin.id());
        });
  }

  @Test
  void twoProcessesOnOneDatabaseRingEveryWakeupOnce() throws Exception {
    var other = day.line().second().build();
    try {
      var people = new ArrayList<Participant>();
      for (int n = 0; n < 8; n++) {
        people.add(day.scheduled("09:30"));
      }
      day.at("09:30");
      assertThat(sweptTogether(day.line(), other)).isEqualTo(8);
      for (var robin : people) {
        day.line().awaitTurn(robin, 3);
        assertThat(day.texts(robin, "prompt")).containsExactly(PromptDay.WITH_QUESTION);
        assertThat(day.line().turns(robin)).isEqualTo(3);
      }
    } finally {
      other.stop();
    }
  }

  @Test
  void aWakeupThatIsClaimedAgainIsNoSecondPieceOfWork() {
    var robin = day.scheduled("09:30");
    day.busy(
        robin,
        () -> {
          assertThat(day.ringsAt("09:30")).isOne();
          day.line()
              .write("UPDATE wakeup SET status = 'waiting' WHERE participant_id = ?", robin.id());
          assertThat(day.sweep()).isOne();
          rangOnce(robin, 1);
        });
    day.line().awaitTurn(robin, 3);
    assertThat(day.texts(robin, "prompt")).hasSize(1);
  }

  @Test
  void aBellRingsByItself() {
    var line = day.line();
    line.bean(Sweeps.class).start();
    try {
      var robin = day.greeted(ChannelKind.SIMULATOR);
      day.answered(robin, PromptDay.transition("FEEDBACK", "0.02"));
      line.study().advance(Duration.ofSeconds(2));
      await().until(() -> line.turns(robin) == 3);
      line.awaitTurn(robin, 3);
      assertThat(line.data(robin)).containsEntry("conversationState", "FEEDBACK");
    } finally {
      line.bean(Sweeps.class).stop();
    }
  }
}
