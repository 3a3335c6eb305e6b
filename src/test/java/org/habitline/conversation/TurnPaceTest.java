package org.habitline.conversation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.habitline.RunningLine;
import org.habitline.conversation.takeover.Takeover;
import org.habitline.participants.Participant;
import org.habitline.timers.Sweeps;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Somebody who texts without a pause. */
final class TurnPaceTest {

  private static RunningLine line;

  @BeforeAll
  static void start() {
    line = RunningLine.in(TurnPaceTest.class).with("turns.per-minute", "3").start();
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  /** Somebody who used up what they have in a minute, in real and in study time. */
  private static Participant hasty() {
    var robin = line.greeted();
    for (int i = 1; i <= 3; i++) {
      line.answered(robin, "text " + i);
    }
    return robin;
  }

  @Test
  void isAnsweredALittleLaterInTheOrderOfTheTextsAndNothingIsLost() {
    var robin = hasty();
    line.text(robin, "text 4");
    line.text(robin, "text 5");
    await().during(Duration.ofMillis(2500)).until(() -> line.turns(robin) == 4);
    assertThat(
            line.rows(
                "SELECT * FROM inbox WHERE participant_id = ? AND status = 'waiting'", robin.id()))
        .hasSize(2);
    line.system().advance(Duration.ofSeconds(61));
    line.awaitTurn(robin, 5);
    assertThat(line.transcript(robin))
        .containsSubsequence("user: text 3", "user: text 4", "user: text 5");
    assertThat(line.turns(robin)).isEqualTo(5);
    line.answered(robin, "text 6");
  }

  @Test
  void waitsAlsoIfATurnOfATimerLiesBetweenTheTexts() {
    var robin = line.greeted();
    line.answered(robin, "text 1");
    var takeover = line.bean(Takeover.class);
    takeover.mute(robin.id(), Duration.ofMinutes(30), "Sam");
    assertThat(takeover.handBack(robin.id())).isTrue();
    line.bean(Sweeps.class).sweep();
    assertThat(line.awaitTurn(robin, 3)).containsEntry("kind", "woke");
    line.answered(robin, "text 2");
    line.answered(robin, "text 3");
    line.text(robin, "text 4");
    await().during(Duration.ofMillis(1500)).until(() -> line.turns(robin) == 5);
    line.system().advance(Duration.ofSeconds(61));
    line.awaitTurn(robin, 6);
  }

  @Test
  void isNotHeldUpByAClockOfTheStudyThatStands() {
    var robin = hasty();
    line.system().advance(Duration.ofSeconds(61));
    line.answered(robin, "text 4");
  }

  @Test
  void isHeardAtOnceWhenTheySayStop() {
    var robin = hasty();
    line.text(robin, "STOP");
    line.awaitTurn(robin, 5);
  }
}
