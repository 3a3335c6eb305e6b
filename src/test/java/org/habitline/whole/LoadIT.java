package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.SoftAssertions.assertSoftly;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.habitline.Patience;
import org.habitline.whole.CoachScript.Step;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole study texts in the same second, on a small machine, with a slow model. */
@Tag("endurance")
class LoadIT {

  private static final int PARTICIPANTS = 200;
  private static final Duration THINKING = Duration.ofSeconds(2);

  @TempDir Path home;

  @Test
  void twoHundredParticipantsWhoTextAtOnceAreAllAnsweredOnceInHalfAGigabyte() {
    try (var line = new Deployment(home, Map.of("TURN_QUIET_PERIOD", "0s"))) {
      var script = CoachScript.playedBy(line.model());
      line.start(List.of("-Xmx512m", "-XX:+ExitOnOutOfMemoryError"));
      var numbers = IntStream.range(0, PARTICIPANTS).boxed().toList();
      var ids = Crowd.atOnce(numbers, number -> line.enrol("+49151%08d".formatted(number)));
      ids.forEach(id -> line.awaitOnPhone(id, CoachScript.GREETING));
      script.slow(Step.ECHO, THINKING);

      var began = System.nanoTime();
      var _ =
          Crowd.atOnce(
              numbers,
              number -> {
                line.text(ids.get(number), textOf(number));
                return number;
              });
      var acknowledged = Duration.ofNanos(System.nanoTime() - began);
      for (int i = 0; i < PARTICIPANTS; i++) {
        line.awaitOnPhone(ids.get(i), CoachScript.reply(textOf(i)));
      }
      line.stop();
      var ledger = line.ledger();
      var answered = ledger.fromFirstTextToLastReply();
      System.out.printf(
          "%d participants at once, %d s per model call, 512 MB: acknowledged in %d ms, answered in %d ms%n",
          PARTICIPANTS, THINKING.toSeconds(), acknowledged.toMillis(), answered.toMillis());

      assertThat(answered).isLessThan(Patience.LONG);
      assertThat(line.model().violations()).isEmpty();
      assertThat(script.asked(Step.ECHO)).isEqualTo(PARTICIPANTS);
      assertThat(ledger.openInbox()).isZero();
      assertSoftly(softly -> {
        for (int i = 0; i < PARTICIPANTS; i++) {
          var id = ids.get(i);
          softly.assertThat(ledger.said(id)).containsExactly(textOf(i));
          softly
              .assertThat(ledger.arrived(id))
              .containsExactly(CoachScript.GREETING, CoachScript.reply(textOf(i)));
          softly
              .assertThat(ledger.turns(id))
              .containsExactly("1 done replied 1", "2 done replied 1");
        }
      });
      line.assertThatTheLogIsDiscreet("Echo of number", "I heard", "the coach");
    }
  }

  private static String textOf(int number) {
    return "Echo of number " + number;
  }
}
