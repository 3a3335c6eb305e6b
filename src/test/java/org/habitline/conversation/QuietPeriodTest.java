package org.habitline.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.habitline.RunningLine;
import org.habitline.messaging.inbox.InboundHandler.Handled;
import org.habitline.participants.Participant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A burst is one turn. Nothing runs by itself here: the test moves the clock and asks. */
final class QuietPeriodTest {

  private static final Duration QUIET = Duration.ofSeconds(10);

  private static RunningLine line;
  private Participant robin;

  @BeforeAll
  static void build() {
    line =
        RunningLine.in(QuietPeriodTest.class)
            .with("turn.quiet-period", QUIET.toSeconds() + "s")
            .build();
    line.system().stop();
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  @BeforeEach
  void greet() {
    robin = line.enrol();
    assertThat(handle()).as("an enrolment does not wait").isInstanceOf(Handled.Answered.class);
    line.fake().forget();
  }

  private Handled handle() {
    return line.bean(ConversationFlow.class).handle(robin.id());
  }

  private void gathering(Duration atMost) {
    assertThat(handle())
        .isInstanceOfSatisfying(
            Handled.NotYet.class,
            notYet -> assertThat(notYet.pause()).isPositive().isLessThanOrEqualTo(atMost));
    assertThat(line.turns(robin)).isEqualTo(1);
  }

  private List<String> newTexts() {
    return line.fake().asked().getLast().texts("user");
  }

  @Test
  void aBurstIsAnsweredTogetherWhenItIsOver() {
    line.text(robin, "one");
    gathering(QUIET);
    line.system().advance(Duration.ofSeconds(9));
    line.text(robin, "two");
    gathering(QUIET);
    line.system().advance(Duration.ofSeconds(9));
    line.text(robin, "three");
    gathering(QUIET);
    line.system().advance(QUIET);
    assertThat(handle()).isInstanceOf(Handled.Answered.class);
    assertThat(newTexts()).containsExactly("one", "two", "three");
    assertThat(line.fake().asked()).hasSize(1);
    assertThat(handle()).isInstanceOf(Handled.Nothing.class);
  }

  @Test
  void whoNeverPausesIsAnsweredAfterFiveQuietPeriods() {
    for (int n = 1; n <= 5; n++) {
      line.text(robin, "text " + n);
      gathering(QUIET);
      line.system().advance(Duration.ofSeconds(9));
    }
    line.text(robin, "text 6");
    gathering(Duration.ofSeconds(5));
    line.system().advance(Duration.ofSeconds(5));
    line.text(robin, "text 7");
    assertThat(handle()).isInstanceOf(Handled.Answered.class);
    assertThat(newTexts()).hasSize(7).startsWith("text 1").endsWith("text 7");
  }

  @Test
  void aClockThatIsSetBackHoldsNoText() {
    line.text(robin, "hello");
    gathering(QUIET);
    line.system().advance(Duration.ofHours(-1));
    assertThat(handle()).isInstanceOf(Handled.Answered.class);
    line.system().advance(Duration.ofHours(1));
  }

  @Test
  void theQuietPeriodRunsOnSystemTime() {
    line.text(robin, "hello");
    line.study().advance(Duration.ofDays(1));
    gathering(QUIET);
    line.system().advance(QUIET);
    assertThat(handle()).isInstanceOf(Handled.Answered.class);
  }

  @Test
  void aHundredTextsAreATurnAndTheRestIsTheNext() {
    for (int n = 1; n <= 101; n++) {
      line.text(robin, "text " + n);
    }
    line.system().advance(QUIET);
    assertThat(handle()).isInstanceOf(Handled.Answered.class);
    assertThat(newTexts()).hasSize(100);
    line.system().advance(QUIET);
    assertThat(handle()).isInstanceOf(Handled.Answered.class);
    assertThat(newTexts()).endsWith("text 101");
  }
}
