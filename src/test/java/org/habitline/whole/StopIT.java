package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.habitline.whole.CoachScript.Step;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Signal 15 in the middle of a turn. */
class StopIT {

  private static final String TEXT = "Plan my evening";
  private static final String AFTERWARDS = "Good morning!";

  /** A model may take longer than a test waits for the end of a process. */
  private static final Map<String, String> ANY_TIME =
      Map.of("TURN_DEADLINE", "10m", "MODEL_ATTEMPT_TIMEOUT", "10m");

  @TempDir Path home;

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void aStopLetsTheTurnEndThatIsRunning() {
    try (var line = new Deployment(home, Map.of())) {
      var script = CoachScript.playedBy(line.model());
      line.start();
      var id = line.enrolAndGreet(Lines.nextPhone());
      script.slow(Step.SECOND, Duration.ofSeconds(3));
      line.text(id, TEXT);
      script.await(Step.SECOND);
      line.stop();
      var ledger = line.ledger();
      assertThat(ledger.turns(id)).containsExactly("1 done replied 1", "2 done replied 1");
      assertThat(ledger.answered(id)).last().isEqualTo(CoachScript.reply(TEXT));
      assertThat(ledger.arrived(id)).isEqualTo(ledger.answered(id));
      assertThat(ledger.openInbox()).isZero();
    }
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void aStopDoesNotWaitForAModelThatHangsAndTheTurnIsResumed() {
    try (var line = new Deployment(home, ANY_TIME)) {
      var script = CoachScript.playedBy(line.model());
      line.start();
      var id = line.enrolAndGreet(Lines.nextPhone());
      script.hold(Step.SECOND);
      line.text(id, TEXT);
      script.await(Step.SECOND);
      line.stop();
      script.release(Step.SECOND);
      line.start();
      line.textAndAwaitAnswer(id, AFTERWARDS);
      line.stop();
      var ledger = line.ledger();
      assertThat(ledger.turns(id))
          .containsExactly("1 done replied 1", "2 done replied 1", "3 done replied 1");
      assertThat(ledger.arrived(id))
          .containsExactly(
              CoachScript.GREETING, CoachScript.reply(TEXT), CoachScript.reply(AFTERWARDS));
      assertThat(script.asked(Step.FIRST)).isEqualTo(1);
      line.assertThatTheLogIsDiscreet(TEXT, AFTERWARDS, "I heard", "the coach");
    }
  }
}
