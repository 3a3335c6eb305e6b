package org.habitline.whole;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.habitline.bench.Report;
import org.habitline.bench.Rounds;
import org.habitline.whole.CoachScript.Step;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Measures how long replies take when a whole study texts at once, with the packaged jar in half a
 * gigabyte of heap, the collector and the AOT cache of the image, and a model that takes 2 s.
 */
@ExtendWith(Report.Handed.class)
final class WholeStudyBench {

  private static final int PARTICIPANTS = 1_000;
  private static final int ENROLLING = 50;

  /** Rounds before the measured ones, in which the JVM compiles what they use. */
  private static final int WARM_UP = 4;

  private static final int ROUNDS = 5;
  private static final Duration THINKING = Duration.ofSeconds(2);
  private static final String COLLECTOR = "-XX:+UseParallelGC";
  private static final String SETTING =
      "H2 file, packaged jar with -Xmx512m, as in the image; the model takes 2 s";
  private static final Duration AT_MOST = Duration.ofMinutes(5);

  /**
   * The CPU time of two cores while the model thinks: if texts need more, no reply can be ready in
   * time.
   */
  private static final Duration CORES_IN_TIME = THINKING.multipliedBy(2);

  @TempDir Path home;
  @TempDir Path training;

  @Test
  void everybodyTextsAtOnce(Report report) throws Exception {
    try (var line = new Deployment(home, Map.of("TURN_QUIET_PERIOD", "0s"))) {
      var script = CoachScript.playedBy(line.model());
      var cache = AotCache.in(training, COLLECTOR);
      line.start(List.of("-Xmx512m", COLLECTOR, cache, "-XX:+ExitOnOutOfMemoryError"));
      var ids = new String[PARTICIPANTS];
      // Only texting is measured; a study does not enrol all participants in the same second.
      var doors = new Semaphore(ENROLLING);
      atOnce(i -> {
        doors.acquireUninterruptibly();
        try {
          ids[i] = line.enrol("+49151%08d".formatted(i));
        } finally {
          doors.release();
        }
      });
      for (var id : ids) {
        line.awaitOnPhone(id, CoachScript.GREETING);
      }
      script.slow(Step.ECHO, THINKING);
      var cpu = new Rounds<Duration>();
      for (int round = 0; round < WARM_UP + ROUNDS; round++) {
        var used = textAndAwaitAnswers(line, ids, round);
        if (round >= WARM_UP) {
          cpu.add(used, CORES_IN_TIME);
        }
      }
      line.stop();
      var first = new Rounds<Duration>();
      first.add(answered(line.ledger(), 0), THINKING);
      var rounds = new Rounds<Duration>();
      for (int round = WARM_UP; round < WARM_UP + ROUNDS; round++) {
        rounds.add(answered(line.ledger(), round), THINKING);
      }
      report.add(
          rounds.as(
              WholeStudyBench::seconds,
              PARTICIPANTS + " participants text at once, until all are answered",
              SETTING,
              "s",
              "≤ 2.0"));
      report.add(
          first.as(
              WholeStudyBench::seconds,
              "the same in the first minute after the start",
              SETTING,
              "s",
              "–"));
      report.add(
          cpu.as(
              used -> used.toNanos() / 1e6 / PARTICIPANTS,
              "CPU of a text, from the request to the delivery; reference: two cores for 2 s",
              SETTING,
              "ms of CPU",
              "≤ 1.0"));
    }
  }

  /** Plays one round of texts and replies, and returns the CPU time that Habitline used. */
  private static Duration textAndAwaitAnswers(Deployment line, String[] ids, int round)
      throws Exception {
    line.model().forget();
    var sent = sent(line);
    var began = line.jar().cpu();
    atOnce(i -> line.text(ids[i], text(round, i)));
    Awaitility.await("all replies are sent")
        .atMost(AT_MOST)
        .pollInterval(Duration.ofMillis(200))
        .until(() -> sent(line) >= sent + PARTICIPANTS);
    return line.jar().cpu().minus(began);
  }

  private static double sent(Deployment line) {
    return line.counted("habitline_deliveries_total", "status=\"accepted\"");
  }

  private static String text(int round, int participant) {
    return "Round " + round + " of number " + participant;
  }

  /** Returns the time from the first stored text of a round to the last reply sent. */
  private static Duration answered(Ledger ledger, int round) {
    return Duration.ofMillis(
        ledger.count(
            "select datediff(millisecond, (select min(stored_at) from inbox where body like ?),"
                + " (select max(ended_at) from outbox where body like ?))",
            "Round " + round + " of %",
            CoachScript.reply("Round " + round + " of %")));
  }

  private static double seconds(Duration time) {
    return time.toMillis() / 1e3;
  }

  /** Runs the action for all participants at the same time. */
  private static void atOnce(IntConsumer action) throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var calls =
          IntStream.range(0, PARTICIPANTS)
              .<Callable<Boolean>>mapToObj(i ->
                  () -> {
                    action.accept(i);
                    return true;
                  })
              .toList();
      for (var done : threads.invokeAll(calls)) {
        done.get();
      }
    }
  }
}
