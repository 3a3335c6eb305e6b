package org.habitline.conversation.wakeups;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Locale;
import org.habitline.conversation.wakeups.PromptDay.Departure;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever stays silent after a prompt is reminded once; nobody else is. */
final class ReminderTest {

  private static PromptDay day;

  @BeforeAll
  static void start() {
    day = PromptDay.of(ReminderTest.class);
  }

  @AfterAll
  static void stop() {
    day.close();
  }

  @BeforeEach
  void begin() {
    day.begin();
  }

  /** The auto-feedback of the prompt is over, so that only the reminder is left of this day. */
  private void quiet(Participant robin) {
    day.turnAt(robin, "09:35");
  }

  @Test
  void whoeverStaysSilentIsRemindedOnce() {
    var robin = day.prompted();
    quiet(robin);
    assertThat(day.state(robin).get("dailyPromptPending"))
        .asString()
        .contains("reminder_due_at=" + day.utc("14:30"));
    assertThat(day.ringsAt("14:29")).isZero();
    day.fake().forget();
    assertThat(day.turnAt(robin, "14:30")).containsEntry("outcome", "woke");
    assertThat(day.line().phone(robin)).last().isEqualTo(PromptDay.REMINDER);
    assertThat(day.fake().asked()).isEmpty();
    assertThat(day.state(robin))
        .containsEntry("dailyPromptReminderSentAt", day.utc("14:30"))
        .doesNotContainKeys("dailyPromptPending", "dailyPromptReminderTimerID");
    assertThat(day.wakeup(robin, "reminder")).containsEntry("status", "done");
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt");
    assertThat(day.ringsAt("22:00")).isZero();
    assertThat(day.texts(robin, "reminder")).hasSize(1);
  }

  @Test
  void aReminderThatIsHoursLateIsNotSent() {
    var robin = day.prompted();
    quiet(robin);
    assertThat(day.turnAt(robin, "16:31"))
        .containsEntry("outcome", "dropped")
        .containsEntry("reason", "it was more than 2 h late");
    assertThat(day.texts(robin, "reminder")).isEmpty();
    assertThat(day.state(robin)).doesNotContainKey("dailyPromptPending");
  }

  @Test
  void aReminderThatWouldComeByNightComesBeforeTheHoursEndOnASimulatedPhoneToo() {
    var robin = day.scheduled("18:00");
    day.turnAt(robin, "18:00");
    day.turnAt(robin, "18:05");
    assertThat(day.state(robin).get("dailyPromptPending"))
        .asString()
        .contains("reminder_due_at=" + day.utc("20:45"));
    assertThat(day.ringsAt("20:44")).isZero();
    assertThat(day.turnAt(robin, "20:45")).containsEntry("outcome", "woke");
    assertThat(day.line().phone(robin)).last().isEqualTo(PromptDay.REMINDER);
    assertThat(day.ringsAt("08:00")).isZero();
  }

  @Test
  void theReminderOfALatePromptComesInTheMorning() {
    var robin = day.scheduled(ChannelKind.SMS, "20:30");
    day.turnAt(robin, "20:30");
    day.turnAt(robin, "20:35");
    assertThat(day.ringsAt("23:59")).isZero();
    assertThat(day.turnAt(robin, "08:00")).containsEntry("outcome", "woke");
    assertThat(day.texts(robin, "reminder")).containsExactly(PromptDay.REMINDER);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Done", "Next time", "no idea"})
  void whoeverRepliedIsNotReminded(String reply) {
    var robin = day.prompted();
    quiet(robin);
    day.line().answered(robin, reply);
    assertThat(day.wakeup(robin, "reminder"))
        .containsEntry("status", "cancelled")
        .containsEntry("reason", "the participant replied");
    assertThat(day.state(robin))
        .doesNotContainKeys("dailyPromptPending", "dailyPromptReminderTimerID");
    assertThat(day.ringsAt("22:00")).isZero();
    assertThat(day.texts(robin, "reminder")).isEmpty();
  }

  @Test
  void aReplyThatCameBeforeTheReminderRangIsAnsweredFirst() {
    var robin = day.prompted();
    quiet(robin);
    day.busy(
        robin,
        () -> {
          day.line().text(robin, "Done");
          assertThat(day.ringsAt("14:30")).isOne();
        });
    assertThat(day.line().awaitTurn(robin, 6))
        .containsEntry("kind", "woke")
        .containsEntry("outcome", "dropped")
        .containsEntry("reason", "the participant replied");
    assertThat(day.texts(robin, "reminder")).isEmpty();
  }

  @Test
  void aReplyThatWaitsBehindTheReminderIsWorthMore() {
    var robin = day.prompted();
    quiet(robin);
    day.busy(
        robin,
        () -> {
          assertThat(day.ringsAt("14:30")).isOne();
          day.line().text(robin, "Done");
        });
    assertThat(day.line().awaitTurn(robin, 5))
        .containsEntry("kind", "woke")
        .containsEntry("outcome", "dropped")
        .containsEntry("reason", "a text is waiting for a reply");
    day.line().awaitTurn(robin, 6);
    assertThat(day.texts(robin, "reminder")).isEmpty();
    assertThat(day.profile(robin).path("success_count").asInt()).isEqualTo(1);
    assertThat(day.state(robin))
        .containsEntry("dailyPromptRespondedAt", day.utc("14:30"))
        .doesNotContainKeys("dailyPromptPending", "dailyPromptReminderSentAt");
  }

  @Test
  void aReminderThatRingsTooLateInTheEveningWaitsForTheMorning() {
    var robin = day.scheduled(ChannelKind.SMS, "18:00");
    day.turnAt(robin, "18:00");
    day.turnAt(robin, "18:05");
    var reason =
        "it was 21:30 for the participant, outside the allowed hours 08:00-21:00; the reminder"
            + " waits for them";
    assertThat(day.turnAt(robin, "21:30"))
        .containsEntry("outcome", "dropped")
        .containsEntry("reason", reason);
    assertThat(day.texts(robin, "reminder")).isEmpty();
    assertThat(day.turnAt(robin, "08:00")).containsEntry("outcome", "woke");
    assertThat(day.texts(robin, "reminder")).containsExactly(PromptDay.REMINDER);
  }

  @ParameterizedTest
  @EnumSource(
      value = Departure.class,
      names = {"PAUSED", "COMPLETED", "WITHDRAWN", "STOP"})
  void aReminderThatRangIsDroppedForWhoLeftBeforeItsTurn(Departure how) {
    var robin = day.prompted();
    quiet(robin);
    day.busy(
        robin,
        () -> {
          assertThat(day.ringsAt("14:30")).isOne();
          day.departs(robin, how);
        });
    var why = how == Departure.STOP ? "opted out" : "is " + how.name().toLowerCase(Locale.ROOT);
    assertThat(day.line().awaitTurn(robin, 5))
        .containsEntry("outcome", "dropped")
        .containsEntry("reason", "the participant " + why);
    assertThat(day.texts(robin, "reminder")).isEmpty();
    assertThat(day.state(robin)).doesNotContainKey("dailyPromptPending");
  }

  @Test
  void aDoneAfterTheReminderCountsOnce() {
    var robin = day.prompted();
    quiet(robin);
    day.turnAt(robin, "14:30");
    day.at("16:00");
    day.line().answered(robin, "Done");
    day.at("16:30");
    day.line().answered(robin, "Done");
    assertThat(day.profile(robin).path("success_count").asInt()).isEqualTo(1);
    assertThat(day.profile(robin).path("total_prompts").asInt()).isEqualTo(1);
    assertThat(day.state(robin)).containsEntry("dailyPromptRespondedAt", day.utc("16:00"));
  }

  @Test
  void theNextModelKnowsThatAReminderWasSent() {
    var robin = day.prompted();
    quiet(robin);
    day.turnAt(robin, "14:30");
    day.line().answered(robin, "sorry, I was away");
    assertThat(day.fake().asked().getLast().texts("assistant"))
        .endsWith(PromptDay.WITH_QUESTION, PromptDay.INTENSITY, PromptDay.REMINDER);
  }

  @Test
  void aReminderTheProviderRefusesWasNotSent() {
    var robin = day.prompted(ChannelKind.SMS);
    quiet(robin);
    day.sms().refuse(robin, "unreachable");
    day.turnAt(robin, "14:30");
    assertThat(day.state(robin))
        .doesNotContainKeys("dailyPromptReminderSentAt", "dailyPromptPending");
    assertThat(day.ringsAt("21:00")).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0s", "-1h"})
  void withoutADelayNobodyIsReminded(String delay) {
    try (var without =
        PromptDay.of(
            ReminderTest.class, setup -> setup.with("daily-prompt.reminder-delay", delay))) {
      var robin = without.prompted();
      assertThat(without.wakeups(robin)).containsExactly("auto_feedback", "daily_prompt");
      assertThat(without.state(robin).get("dailyPromptPending"))
          .asString()
          .contains("sent_at=" + without.utc("09:30"))
          .doesNotContain("reminder_due_at");
      without.turnAt(robin, "09:35");
      assertThat(without.ringsAfter(Duration.ofHours(12))).isZero();
    }
  }
}
