package org.habitline.conversation.wakeups;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.habitline.conversation.takeover.Takeover;
import org.habitline.conversation.wakeups.PromptDay.Departure;
import org.habitline.llm.openai.Scripted;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantStatus;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Schedules that are replaced, deleted, moved to another zone, suspended and taken up again. */
final class ScheduleLifeTest {

  private static PromptDay day;

  @BeforeAll
  static void start() {
    day = PromptDay.of(ScheduleLifeTest.class);
  }

  @AfterAll
  static void stop() {
    day.close();
  }

  @BeforeEach
  void begin() {
    day.begin();
  }

  private static List<String> statuses(Participant robin) {
    return day.line()
        .column(
            "SELECT status FROM occurrence WHERE participant_id = ? ORDER BY local_date",
            robin.id());
  }

  private static Object nextAt(Participant robin) {
    var registry = (List<?>) day.state(robin).getOrDefault("scheduleRegistry", List.of());
    return ((Map<?, ?>) registry.getFirst()).get("next_at") instanceof String next ? next : "none";
  }

  private static String tomorrowAt(String utc) {
    return day.tomorrow() + "T" + utc + "Z";
  }

  @Test
  void replacedBeforeTodaysPromptOnlyTheNewTimeHoldsToday() {
    var robin = day.scheduled("09:30");
    var before = day.wakeupId(robin, "daily_prompt");
    day.answered(robin, PromptDay.fixed("10:30"));
    assertThat(day.wakeup(before)).containsEntry("status", "cancelled");
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt");
    assertThat(day.ringsAt("10:29")).isZero();
    assertThat(day.turnAt(robin, "10:30")).containsEntry("outcome", "woke");
    assertThat(day.texts(robin, "prompt")).hasSize(1);
    assertThat(statuses(robin)).containsExactly("sent", "planned");
    assertThat(nextAt(robin)).isEqualTo(tomorrowAt("09:30:00"));
  }

  @Test
  void replacedAfterTodaysPromptThereIsNoSecondOneToday() {
    var robin = day.prompted();
    day.answered(robin, PromptDay.fixed("10:30"));
    assertThat(nextAt(robin)).isEqualTo(tomorrowAt("09:30:00"));
    assertThat(day.ringsAt("23:59")).isZero();
    assertThat(day.turnAt(robin, "10:30")).containsEntry("outcome", "woke");
    assertThat(day.texts(robin, "prompt")).hasSize(2);
    assertThat(statuses(robin)).containsExactly("sent", "sent", "planned");
  }

  @Test
  void replacedAfterTodaysPromptWasMissedThereIsNoneToday() {
    var robin = day.scheduled("09:30");
    day.turnAt(robin, "12:00");
    day.answered(robin, PromptDay.fixed("13:00"));
    assertThat(nextAt(robin)).isEqualTo(tomorrowAt("12:00:00"));
  }

  @Test
  void replacedWhileTodaysPromptRangTheNewTimeHolds() {
    var robin = day.scheduled("09:30");
    day.fake().then(PromptDay.fixed("10:30"), Scripted.say("As you wish."));
    day.busy(
        robin,
        () -> {
          day.line().text(robin, "rather at 10:30");
          assertThat(day.ringsAt("09:30")).isOne();
        });
    assertThat(day.line().awaitTurn(robin, 4)).containsEntry("outcome", "dropped");
    assertThat(day.texts(robin, "prompt")).isEmpty();
    assertThat(day.turnAt(robin, "10:30")).containsEntry("outcome", "woke");
    assertThat(day.texts(robin, "prompt")).hasSize(1);
  }

  @Test
  void deletedThereIsNone() {
    var robin = day.scheduled("09:30");
    day.answered(robin, PromptDay.scheduler("{\"action\":\"delete\"}"));
    assertThat(day.wakeups(robin)).isEmpty();
    assertThat(day.wakeup(robin, "daily_prompt"))
        .containsEntry("status", "cancelled")
        .containsEntry("reason", "the coach deleted them in turn 3");
    assertThat(statuses(robin)).containsExactly("cancelled");
    assertThat(day.state(robin)).containsEntry("scheduleRegistry", List.of());
    assertThat(day.ringsAt("23:00")).isZero();
    day.becomes(robin, ParticipantStatus.PAUSED);
    day.becomes(robin, ParticipantStatus.ACTIVE);
    assertThat(day.wakeups(robin)).isEmpty();
  }

  @Test
  void deletedWhileItRangThereIsNone() {
    var robin = day.scheduled("09:30");
    day.fake().then(PromptDay.scheduler("{\"action\":\"delete\"}"), Scripted.say("As you wish."));
    day.busy(
        robin,
        () -> {
          day.line().text(robin, "no more prompts");
          assertThat(day.ringsAt("09:30")).isOne();
        });
    assertThat(day.line().awaitTurn(robin, 4))
        .containsEntry("outcome", "dropped")
        .containsEntry("reason", "the coach deleted them in turn 3");
    assertThat(day.texts(robin, "prompt")).isEmpty();
    assertThat(day.wakeups(robin)).isEmpty();
  }

  @Test
  void deletedAndMadeAgainOnOneDayThereIsOnePrompt() {
    var robin = day.scheduled("09:30");
    day.answered(robin, PromptDay.scheduler("{\"action\":\"delete\"}"));
    day.answered(robin, PromptDay.fixed("10:30"));
    assertThat(day.turnAt(robin, "10:30")).containsEntry("outcome", "woke");
    assertThat(statuses(robin)).containsExactly("sent", "planned");
  }

  @Test
  void deletedAfterTodaysPromptAndMadeAgainThereIsNoSecondOneToday() {
    var robin = day.prompted();
    day.answered(robin, PromptDay.scheduler("{\"action\":\"delete\"}"));
    day.answered(robin, PromptDay.fixed("12:00"));
    assertThat(nextAt(robin)).isEqualTo(tomorrowAt("11:00:00"));
  }

  /** Somebody for whom every kind of wake-up waits that can wait together. */
  private Participant waitedFor() {
    var robin = day.scheduled("09:30");
    day.answered(robin, PromptDay.transition("FEEDBACK", "600"));
    day.turnAt(robin, "09:30");
    assertThat(day.wakeups(robin))
        .containsExactly("auto_feedback", "reminder", "transition", "daily_prompt");
    return robin;
  }

  @ParameterizedTest
  @EnumSource(
      value = Departure.class,
      names = {"PAUSED", "COMPLETED", "WITHDRAWN", "STOP"})
  void whoLeavesIsWaitedForByNothingAndWhoReturnsIsPlannedForFromNow(Departure how) {
    var robin = waitedFor();
    day.departs(robin, how);
    assertThat(day.wakeups(robin)).isEmpty();
    assertThat(day.state(robin)).doesNotContainKey("dailyPromptPending");
    assertThat(day.ringsAt("08:00")).isZero();
    assertThat(day.ringsAt("09:45")).isZero();
    var said = day.line().transcript(robin).size();
    if (how == Departure.STOP) {
      day.line().awaitTurn(robin, 5);
      day.line().answered(robin, "START");
    } else {
      day.becomes(robin, ParticipantStatus.ACTIVE);
    }
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt");
    assertThat(statuses(robin)).containsExactly("sent", "cancelled", "planned");
    assertThat(day.ringsAt("09:29")).isZero();
    assertThat(day.line().transcript(robin)).hasSizeLessThanOrEqualTo(said + 2);
    assertThat(day.turnAt(robin, "09:30")).containsEntry("outcome", "woke");
    assertThat(day.texts(robin, "prompt")).hasSize(2);
  }

  @Test
  void whoReturnsBeforeTodaysTimeIsPromptedToday() {
    var robin = day.scheduled("09:30");
    day.becomes(robin, ParticipantStatus.PAUSED);
    assertThat(statuses(robin)).containsExactly("cancelled");
    day.at("09:00");
    day.becomes(robin, ParticipantStatus.ACTIVE);
    assertThat(statuses(robin)).containsExactly("planned");
    assertThat(day.turnAt(robin, "09:30")).containsEntry("outcome", "woke");
  }

  @Test
  void whoReturnsAfterTodaysPromptIsPromptedTomorrow() {
    var robin = day.prompted();
    day.becomes(robin, ParticipantStatus.PAUSED);
    day.becomes(robin, ParticipantStatus.ACTIVE);
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt");
    assertThat(nextAt(robin)).isEqualTo(tomorrowAt("08:30:00"));
  }

  @Test
  void anActiveParticipantWhoSaidStopIsNotPlannedFor() {
    var robin = day.scheduled("09:30");
    day.line().answered(robin, "STOP");
    day.becomes(robin, ParticipantStatus.PAUSED);
    day.becomes(robin, ParticipantStatus.ACTIVE);
    assertThat(day.wakeups(robin)).isEmpty();
    day.livesIn(robin, "Europe/London");
    assertThat(day.wakeups(robin)).isEmpty();
  }

  @Test
  void aStartOfSomebodyPausedPlansNothing() {
    var robin = day.scheduled("09:30");
    day.line().answered(robin, "STOP");
    day.becomes(robin, ParticipantStatus.PAUSED);
    day.line().answered(robin, "START");
    assertThat(day.wakeups(robin)).isEmpty();
    day.becomes(robin, ParticipantStatus.ACTIVE);
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt");
  }

  @Test
  void anErasureLeavesNothing() {
    var robin = waitedFor();
    day.departs(robin, Departure.DELETED);
    day.awaitErased(robin);
    for (var table : List.of("schedule", "occurrence", "wakeup", "state_data", "inbox")) {
      assertThat(
              day.line().rows("SELECT * FROM " + table + " WHERE participant_id = ?", robin.id()))
          .as(table)
          .isEmpty();
    }
    assertThat(day.ringsAt("23:00")).isZero();
  }

  @Test
  void whoIsLeavingIsWaitedForByNothing() {
    var robin = day.prompted(ChannelKind.SMS);
    var held = new CountDownLatch(1);
    day.sms().then(robin, message -> PromptDay.after(held, message));
    day.line().bean(Takeover.class).mute(robin.id(), Duration.ofMinutes(30), "Sam");
    day.departs(robin, Departure.DELETED);
    assertThat(day.wakeups(robin)).isEmpty();
    assertThat(day.ringsAt("23:00")).isZero();
    held.countDown();
    day.awaitErased(robin);
    assertThat(day.sms().bodies(robin)).doesNotContain(PromptDay.REMINDER);
  }

  @Test
  void staffMoveTodaysPromptToAnotherZone() {
    var robin = day.scheduled("09:30");
    day.livesIn(robin, "Europe/London");
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt");
    assertThat(nextAt(robin)).isEqualTo(day.utc("10:30"));
    assertThat(day.ringsAt("10:29")).isZero();
    assertThat(day.turnAt(robin, "10:30")).containsEntry("outcome", "woke");
    assertThat(statuses(robin)).containsExactly("sent", "planned");
    assertThat(day.occurrence(robin, day.today())).containsEntry("zone", "Europe/London");
  }

  @Test
  void movedToWhereTodaysTimeIsOverThePromptComesTomorrow() {
    var robin = day.scheduled("09:30");
    day.livesIn(robin, "Asia/Tokyo");
    assertThat(nextAt(robin)).isEqualTo(tomorrowAt("00:30:00"));
    assertThat(statuses(robin)).containsExactly("cancelled", "planned");
    assertThat(day.ringsAt("23:00")).isZero();
    assertThat(day.turnAt(robin, "01:30")).containsEntry("outcome", "woke");
    assertThat(day.texts(robin, "prompt")).hasSize(1);
  }

  @Test
  void movedAfterTodaysPromptThereIsNoSecondOneToday() {
    var robin = day.prompted();
    day.livesIn(robin, "America/New_York");
    assertThat(nextAt(robin)).isEqualTo(tomorrowAt("14:30:00"));
    assertThat(statuses(robin)).containsExactly("sent", "planned");
    assertThat(day.wakeups(robin)).containsExactly("auto_feedback", "reminder", "daily_prompt");
    day.turnAt(robin, "09:35");
    day.turnAt(robin, "14:30");
    assertThat(day.ringsAt("23:59")).isZero();
    assertThat(day.turnAt(robin, "15:30")).containsEntry("outcome", "woke");
    assertThat(day.texts(robin, "prompt")).hasSize(2);
  }

  @Test
  void movedWhileTodaysPromptRangItComesAndTheNextOneThere() {
    var robin = day.scheduled("09:30");
    day.busy(
        robin,
        () -> {
          assertThat(day.ringsAt("09:30")).isOne();
          day.livesIn(robin, "Europe/London");
        });
    assertThat(day.line().awaitTurn(robin, 3)).containsEntry("outcome", "woke");
    assertThat(day.texts(robin, "prompt")).hasSize(1);
    assertThat(nextAt(robin)).isEqualTo(tomorrowAt("09:30:00"));
  }

  @Test
  void theSchedulerMovesTodaysPromptToAnotherZone() {
    var robin = day.scheduled("09:30");
    day.answered(
        robin,
        PromptDay.scheduler(
            "{\"action\":\"create\",\"fixed_time\":\"9:30\",\"timezone\":\"Europe/London\"}"));
    assertThat(day.now(robin).zone()).hasToString("Europe/London");
    assertThat(nextAt(robin)).isEqualTo(day.utc("10:30"));
    assertThat(day.ringsAt("10:29")).isZero();
    assertThat(day.turnAt(robin, "10:30")).containsEntry("outcome", "woke");
    assertThat(day.texts(robin, "prompt")).hasSize(1);
  }

  @Test
  void theSchedulerMovesZoneAndTimeAtOnce() {
    var robin = day.scheduled("09:30");
    day.answered(
        robin,
        PromptDay.scheduler(
            "{\"action\":\"create\",\"fixed_time\":\"9:00\",\"timezone\":\"Europe/London\"}"));
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt");
    assertThat(nextAt(robin)).isEqualTo(day.utc("10:00"));
    assertThat(day.turnAt(robin, "10:00")).containsEntry("outcome", "woke");
    assertThat(statuses(robin)).containsExactly("sent", "planned");
  }

  @Test
  void theSchedulerMovesNothingToASecondPromptToday() {
    var robin = day.prompted();
    day.answered(
        robin,
        PromptDay.scheduler(
            "{\"action\":\"create\",\"fixed_time\":\"12:00\",\"timezone\":\"America/New_York\"}"));
    assertThat(nextAt(robin)).isEqualTo(tomorrowAt("17:00:00"));
    assertThat(statuses(robin)).containsExactly("sent", "planned");
  }

  @Test
  void aWindowHasAnotherMinuteEveryDayAndNeverTwoPrompts() {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    day.answered(
        robin,
        PromptDay.scheduler(
            "{\"action\":\"create\",\"random_start_time\":\"9:00\",\"random_end_time\":\"10:00\"}"));
    for (int n = 0; n < 4; n++) {
      assertThat(day.ringsAt("08:59")).isZero();
      assertThat(day.turnAt(robin, "10:00")).containsEntry("outcome", "woke");
      day.line().answered(robin, "Done");
    }
    var times =
        day
            .line()
            .column("SELECT wall_time FROM occurrence WHERE participant_id = ?", robin.id())
            .stream()
            .map(time -> time.substring(11))
            .toList();
    assertThat(times).allMatch(time -> time.startsWith("09:"));
    assertThat(Set.copyOf(times)).hasSizeGreaterThan(1);
  }
}
