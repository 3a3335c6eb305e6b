package org.habitline.conversation.wakeups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.habitline.conversation.stored.JdbcStates;
import org.habitline.conversation.stored.StateReader;
import org.habitline.llm.openai.Scripted;
import org.habitline.messaging.Delivery;
import org.habitline.messaging.DeliveryFailure;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantStatus;
import org.habitline.participants.Participants;
import org.habitline.timers.Sweeps;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whoever falls silent in the intake is nudged once, and then shown to staff. */
final class NudgeTest {

  private static final String NUDGE =
      "Still here whenever you like: a text of one word is enough to go on with your one-minute"
          + " habit. Text STOP to leave.";

  private static PromptDay day;

  @BeforeAll
  static void start() {
    day = PromptDay.of(NudgeTest.class);
  }

  @AfterAll
  static void stop() {
    day.close();
  }

  @BeforeEach
  void begin() {
    day.begin();
  }

  /** Somebody who was greeted and has not replied yet. */
  private static Participant silent(ChannelKind channel) {
    var robin = day.greeted(channel);
    await().until(() -> day.wakeupsAndNudges(robin).contains("nudge"));
    return robin;
  }

  private static boolean isStuck(Participant robin) {
    return day.line().bean(StateReader.class).stuck(1_000).stream()
        .map(JdbcStates.Stuck::participantId)
        .anyMatch(robin.id()::equals);
  }

  @Test
  void whoeverIsSilentForADayIsNudgedOnceAndThenStuck() {
    var robin = silent(ChannelKind.SMS);
    assertThat(day.wakeupsAndNudges(robin)).containsExactly("nudge");
    assertThat(day.ringsAfter(Duration.ofHours(23))).isZero();
    day.fake().forget();
    assertThat(day.turnAfter(robin, Duration.ofHours(1)))
        .containsEntry("kind", "woke")
        .containsEntry("outcome", "woke");
    await().untilAsserted(() -> assertThat(day.sms().bodies(robin)).last().isEqualTo(NUDGE));
    assertThat(day.fake().asked()).isEmpty();
    assertThat(isStuck(robin)).isFalse();

    assertThat(day.turnAfter(robin, Duration.ofHours(24))).containsEntry("outcome", "dropped");
    assertThat(isStuck(robin)).isTrue();
    assertThat(day.texts(robin, "nudge")).containsExactly(NUDGE);
    assertThat(day.wakeupsAndNudges(robin)).isEmpty();

    day.line().answered(robin, "I am back");
    await().until(() -> day.wakeupsAndNudges(robin).contains("nudge"));
    assertThat(isStuck(robin)).isFalse();
    assertThat(day.turnAfter(robin, Duration.ofHours(24)))
        .containsEntry("outcome", "dropped")
        .containsEntry(
            "reason", "the participant was nudged before and is shown to staff as stuck");
    assertThat(isStuck(robin)).isTrue();
    assertThat(day.texts(robin, "nudge")).hasSize(1);

    day.becomes(robin, ParticipantStatus.PAUSED);
    assertThat(isStuck(robin)).isFalse();
  }

  @Test
  void aTextEndsTheSilence() {
    var robin = silent(ChannelKind.SIMULATOR);
    day.line().answered(robin, "hello");
    await().until(() -> day.wakeupsAndNudges(robin).contains("nudge"));
    assertThat(day.line().column("SELECT status FROM wakeup WHERE participant_id = ?", robin.id()))
        .containsExactlyInAnyOrder("cancelled", "waiting");
    assertThat(day.wakeupsAndNudges(robin)).containsExactly("nudge");
    day.busy(
        robin,
        () -> {
          assertThat(day.ringsAfter(Duration.ofHours(24))).isOne();
          day.line().text(robin, "here I am");
        });
    assertThat(day.texts(robin, "nudge")).isEmpty();
  }

  @Test
  void aNudgeWaitsForTheAllowedHoursOnEveryChannel() {
    var robin = silent(ChannelKind.SIMULATOR);
    day.at("22:30");
    day.line().answered(robin, "good night");
    await().until(() -> day.wakeupsAndNudges(robin).contains("nudge"));
    assertThat(day.ringsAfter(Duration.ofHours(24))).isZero();
    assertThat(day.turnAt(robin, "08:00")).containsEntry("outcome", "woke");
    await().untilAsserted(() -> assertThat(day.line().phone(robin)).last().isEqualTo(NUDGE));
  }

  @Test
  void aNudgeIsAsUsefulAfterAnOutageAndComesByDay() {
    var robin = silent(ChannelKind.SMS);
    assertThat(day.turnAfter(robin, Duration.ofHours(39)))
        .containsEntry("outcome", "dropped")
        .extractingByKey("reason")
        .asString()
        .contains("outside the allowed hours", "the nudge waits");
    assertThat(day.turnAt(robin, "08:00")).containsEntry("outcome", "woke");
    await().untilAsserted(() -> assertThat(day.sms().bodies(robin)).last().isEqualTo(NUDGE));
  }

  @Test
  void aNudgeThatDidNotArriveIsSentOnceMore() {
    var robin = silent(ChannelKind.SMS);
    day.sms().refuse(robin, "unreachable");
    assertThat(day.turnAfter(robin, Duration.ofHours(24))).containsEntry("outcome", "woke");
    await()
        .untilAsserted(() ->
            assertThat(
                    day.line()
                        .rows(
                            "SELECT nudged_in, nudged_at FROM participant_state WHERE participant_id = ?",
                            robin.id())
                        .getFirst())
                .containsEntry("nudged_in", null)
                .containsEntry("nudged_at", null));
    assertThat(day.turnAfter(robin, Duration.ofHours(24))).containsEntry("outcome", "woke");
    assertThat(day.texts(robin, "nudge")).hasSize(2);
    assertThat(isStuck(robin)).isFalse();
  }

  @Test
  void whoeverCannotBeNudgedOutsideTheWindowIsStuckAfterTheSameTime() {
    var robin = silent(ChannelKind.SMS);
    day.sms().then(robin, message -> new Delivery.Refused(DeliveryFailure.WINDOW_CLOSED, "63016"));
    assertThat(day.turnAfter(robin, Duration.ofHours(24))).containsEntry("outcome", "woke");
    await()
        .untilAsserted(() ->
            assertThat(
                    day.line()
                        .rows(
                            "SELECT nudged_in, nudged_at FROM participant_state WHERE participant_id = ?",
                            robin.id())
                        .getFirst())
                .containsEntry("nudged_in", "INTAKE")
                .containsEntry("nudged_at", null));
    assertThat(day.turnAfter(robin, Duration.ofHours(24))).containsEntry("outcome", "dropped");
    assertThat(isStuck(robin)).isTrue();
    assertThat(day.texts(robin, "nudge")).hasSize(1);
    assertThat(day.wakeupsAndNudges(robin)).isEmpty();
  }

  @Test
  void whoeverComesBackFromAPauseOrAStopIsNudgedIfTheyStaySilent() {
    var robin = silent(ChannelKind.SIMULATOR);
    day.becomes(robin, ParticipantStatus.PAUSED);
    assertThat(day.wakeupsAndNudges(robin)).isEmpty();
    day.becomes(robin, ParticipantStatus.ACTIVE);
    assertThat(day.wakeupsAndNudges(robin)).containsExactly("nudge");
    day.line().text(robin, "STOP");
    await().untilAsserted(() -> assertThat(day.wakeupsAndNudges(robin)).isEmpty());
    day.line().awaitRest(robin);
    day.line().bean(Participants.class).optIn(robin.id());
    assertThat(day.wakeupsAndNudges(robin)).containsExactly("nudge");
    assertThat(day.turnAfter(robin, Duration.ofHours(24))).containsEntry("outcome", "woke");
    assertThat(day.texts(robin, "nudge")).containsExactly(NUDGE);
  }

  @Test
  void anotherProcessSendsTheNudgeOfOneThatEnded() {
    var robin = silent(ChannelKind.SIMULATOR);
    day.line().study().advance(Duration.ofHours(24));
    var turns = day.line().turns(robin);
    var next = day.line().second().start();
    try {
      assertThat(next.bean(Sweeps.class).sweep()).isOne();
      next.awaitTurn(robin, turns + 1);
    } finally {
      next.stop();
    }
    assertThat(day.sweep()).isZero();
    assertThat(day.texts(robin, "nudge")).hasSize(1);
  }

  @Test
  void whoeverGetsDailyPromptsOrHasLeftTheIntakeIsNotNudged() {
    var robin = day.scheduled("09:30");
    assertThat(day.wakeupsAndNudges(robin)).containsExactly("daily_prompt");
    var casey = silent(ChannelKind.SIMULATOR);
    day.fake().then(PromptDay.transition("FEEDBACK", "null"), Scripted.say("All right."));
    day.line().answered(casey, "later");
    day.line().awaitRest(casey);
    assertThat(day.wakeupsAndNudges(casey)).isEmpty();
  }
}
