package org.habitline.conversation.wakeups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.habitline.llm.openai.Scripted;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A flow that allows two daily prompts: a newer one ends whatever the one before waited for. */
final class TwoPromptsADayTest {

  private static PromptDay day;

  @BeforeAll
  static void start() {
    day =
        PromptDay.of(
            TwoPromptsADayTest.class,
            setup -> setup.flow(yaml -> yaml.replace("most: 1 ", "most: 2 ")));
  }

  @AfterAll
  static void stop() {
    day.close();
  }

  @BeforeEach
  void begin() {
    day.begin();
  }

  private Participant twice(String first, String second) {
    return twice(ChannelKind.SIMULATOR, first, second);
  }

  private Participant twice(ChannelKind channel, String first, String second) {
    var robin = day.greeted(channel);
    day.fake()
        .then(
            PromptDay.profile(),
            PromptDay.fixed(first),
            PromptDay.fixed(second),
            Scripted.say("Planned."));
    day.line().answered(robin, "twice please");
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt", "daily_prompt");
    return robin;
  }

  @Test
  void aNewerPromptTakesReminderAndAutoFeedbackOfTheOneBeforeBack() {
    var robin = twice("09:30", "09:33");
    day.turnAt(robin, "09:30");
    var reminder = day.wakeupId(robin, "reminder");
    var autoFeedback = day.wakeupId(robin, "auto_feedback");
    day.turnAt(robin, "09:33");
    for (var id : List.of(reminder, autoFeedback)) {
      assertThat(day.wakeup(id))
          .containsEntry("status", "cancelled")
          .containsEntry("reason", "a newer prompt was sent");
    }
    assertThat(slot(robin, 1)).containsEntry("follow_up", "replaced");
    assertThat(slot(robin, 2)).containsEntry("follow_up", "due");
    assertThat(day.wakeups(robin))
        .containsExactly("auto_feedback", "reminder", "daily_prompt", "daily_prompt");
    assertThat(day.state(robin).get("dailyPromptPending"))
        .asString()
        .contains("occurrence=" + day.today() + "#2");
    day.turnAt(robin, "09:38");
    assertThat(day.ringsAt("14:30")).isZero();
    day.turnAt(robin, "14:33");
    assertThat(day.texts(robin, "reminder")).hasSize(1);
    await().untilAsserted(() -> assertThat(slot(robin, 2)).containsEntry("follow_up", "sent"));
  }

  @Test
  void anAutoFeedbackThatRangIsDroppedByANewerPromptBeforeItsTurn() {
    var robin = twice("09:30", "09:33");
    day.turnAt(robin, "09:30");
    day.ringsAt("09:37");
    assertThat(day.line().awaitTurn(robin, 5))
        .containsEntry("outcome", "dropped")
        .containsEntry("reason", "a newer prompt was sent");
    assertThat(day.texts(robin, "prompt")).hasSize(2);
    assertThat(day.state(robin)).containsEntry("conversationState", "INTAKE");
  }

  @Test
  void aReminderThatRangIsDroppedByANewerPromptBeforeItsTurn() {
    var robin = twice("09:30", "14:00");
    day.turnAt(robin, "09:30");
    day.turnAt(robin, "09:35");
    day.ringsAt("14:31");
    assertThat(day.line().awaitTurn(robin, 6))
        .containsEntry("outcome", "dropped")
        .containsEntry("reason", "a newer prompt was sent");
    assertThat(day.texts(robin, "prompt")).hasSize(2);
    assertThat(day.texts(robin, "reminder")).isEmpty();
    assertThat(slot(robin, 1)).containsEntry("follow_up", "replaced");
  }

  @Test
  void aReminderThatWouldHaveToWaitUntilTheNextPromptIsLost() {
    var robin = twice("08:00", "18:00");
    day.turnAt(robin, "18:00");
    day.turnAt(robin, "18:05");
    assertThat(slot(robin, 2)).containsEntry("follow_up", "due");
    assertThat(day.turnAt(robin, "21:30")).containsEntry("outcome", "dropped");
    assertThat(slot(robin, 2)).containsEntry("follow_up", "lost").containsEntry("pending", false);
    assertThat(day.texts(robin, "reminder")).isEmpty();
  }

  @Test
  void ofTwoPromptsThatAreAcceptedTogetherOnlyTheNewerIsPending() {
    var robin = twice(ChannelKind.SMS, "09:30", "09:33");
    var held = new CountDownLatch(1);
    day.sms().then(robin, message -> PromptDay.after(held, message));
    day.ringsAt("09:30");
    await().until(() -> day.sms().attempts(robin, PromptDay.BY_SMS) == 1);
    day.ringsAt("09:33");
    await().until(() -> day.texts(robin, "prompt").size() == 2);
    held.countDown();
    day.line().awaitTurn(robin, 4);
    assertThat(day.profile(robin).path("total_prompts").asInt()).isEqualTo(2);
    assertThat(day.wakeups(robin))
        .containsExactly("auto_feedback", "reminder", "daily_prompt", "daily_prompt");
    assertThat(day.wakeup(robin, "reminder")).containsEntry("guard", day.today() + "#2");
    day.line().answered(robin, "Done");
    assertThat(day.state(robin)).doesNotContainKey("dailyPromptPending");
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt", "daily_prompt");
  }

  @ParameterizedTest
  @CsvSource({"08:00, false", "08:01, true"})
  void aReminderThatWouldWaitForTheNextPromptIsNotPlanned(String next, boolean planned) {
    var robin = twice(next, "20:30");
    day.turnAt(robin, "20:30");
    assertThat(day.wakeups(robin).contains("reminder")).isEqualTo(planned);
  }

  @Test
  void theIntensityIsAskedForWithTheFirstPromptOfADayOnly() {
    var robin = twice("09:30", "12:00");
    day.turnAt(robin, "09:30");
    day.line().answered(robin, "Done");
    day.turnAt(robin, "12:00");
    assertThat(day.texts(robin, "intensity")).hasSize(1);
    day.line().answered(robin, "Done");
    day.turnAt(robin, "09:30");
    assertThat(day.texts(robin, "intensity")).hasSize(2);
  }

  @Test
  void aDoneCountsOnceForEachPrompt() {
    var robin = twice("09:30", "12:00");
    day.turnAt(robin, "09:30");
    day.line().answered(robin, "Done");
    day.turnAt(robin, "12:00");
    day.line().answered(robin, "Done");
    day.line().answered(robin, "Done");
    assertThat(day.profile(robin).path("success_count").asInt()).isEqualTo(2);
    assertThat(day.profile(robin).path("total_prompts").asInt()).isEqualTo(2);
  }

  @Test
  void aScheduleThatEndsLeavesTheOtherOneAlone() {
    var robin = twice("09:30", "12:00");
    var first =
        day.line()
            .column("SELECT id FROM schedule WHERE participant_id = ? AND slot = 1", robin.id());
    day.answered(
        robin,
        PromptDay.scheduler(
            "{\"action\":\"delete\",\"schedule_id\":\"" + first.getFirst() + "\"}"));
    assertThat(day.wakeups(robin)).containsExactly("daily_prompt");
    assertThat(day.ringsAt("11:59")).isZero();
    day.turnAt(robin, "12:00");
    assertThat(day.texts(robin, "prompt")).hasSize(1);
  }

  @Test
  void aReminderThatIsTakenAfterTheNextPromptIsThatOfItsOwn() {
    var robin = twice(ChannelKind.SMS, "09:30", "15:00");
    day.turnAt(robin, "09:30");
    day.turnAt(robin, "09:35");
    var held = new CountDownLatch(1);
    day.sms().then(robin, message -> PromptDay.after(held, message));
    day.ringsAt("14:30");
    await().until(() -> day.sms().attempts(robin, PromptDay.REMINDER) == 1);
    day.ringsAt("15:00");
    await().until(() -> day.texts(robin, "prompt").size() == 2);
    held.countDown();
    await().until(() -> slot(robin, 2).get("sent_at") != null);
    assertThat(slot(robin, 1).get("reminded_at")).isNotNull();
    assertThat(slot(robin, 2).get("reminded_at")).isNull();
  }

  private static Map<String, Object> slot(Participant robin, int slot) {
    return day.line()
        .rows(
            "SELECT * FROM occurrence WHERE participant_id = ? AND local_date = ? AND slot = ?",
            robin.id(),
            day.today(),
            slot)
        .getFirst();
  }
}
