package org.habitline.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.habitline.conversation.wakeups.PromptDay;
import org.habitline.llm.openai.Scripted;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Enrolment;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantStatus;
import org.habitline.participants.Participants;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every key of a participant's state data: its format, and when there is none (seed 003). */
final class StateDataTest {

  private static PromptDay day;

  @BeforeAll
  static void start() {
    day = PromptDay.of(StateDataTest.class);
  }

  @AfterAll
  static void stop() {
    day.close();
  }

  @BeforeEach
  void begin() {
    day.begin();
  }

  /** As it is read over the API. */
  private static JsonNode json(Participant robin) {
    return day.line().bean(ObjectMapper.class).valueToTree(day.state(robin));
  }

  private static Map<?, ?> schedule(Participant robin) {
    var registry = (List<?>) day.state(robin).getOrDefault("scheduleRegistry", List.of());
    assertThat(registry).hasSize(1);
    return (Map<?, ?>) registry.getFirst();
  }

  @Test
  void aNewcomerHasNothingYet() {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    assertThat(day.state(robin))
        .containsOnlyKeys(
            "currentState",
            "conversationState",
            "participantBackground",
            "scheduleRegistry",
            "conversationHistory")
        .containsEntry("currentState", "CONVERSATION_ACTIVE")
        .containsEntry("conversationState", "INTAKE")
        .containsEntry("participantBackground", "Name: Robin")
        .containsEntry("scheduleRegistry", List.of());
  }

  @Test
  void theHistoryHoldsRoleContentAndTimestamp() {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    day.line().answered(robin, "hello");
    var messages = json(robin).path("conversationHistory").path("messages");
    assertThat(messages).hasSize(3);
    assertThat(messages.get(1).toString())
        .isEqualTo(
            "{\"role\":\"user\",\"content\":\"hello\",\"timestamp\":\"" + day.utc("08:15") + "\"}");
    assertThat(messages.get(2).path("role").asText()).isEqualTo("assistant");
  }

  @Test
  void theHistoryHoldsTheNewestFifty() {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    for (int n = 1; n <= 26; n++) {
      day.line().answered(robin, "text " + n);
    }
    var messages = json(robin).path("conversationHistory").path("messages");
    assertThat(messages).hasSize(50);
    assertThat(messages.get(0).path("content").asText()).isEqualTo("text 2");
    assertThat(messages.get(49).path("content").asText()).isEqualTo("All right.");
  }

  @Test
  void theBackgroundHasALineForEachThatWasGiven() {
    var robin = enrolled("Robin", "female", null, "Works from home");
    assertThat(day.state(robin))
        .containsEntry(
            "participantBackground", "Name: Robin\nGender: female\nBackground: Works from home");
    assertThat(day.state(enrolled(null, null, null, null)))
        .doesNotContainKey("participantBackground");
  }

  private static Participant enrolled(
      @Nullable String name,
      @Nullable String gender,
      @Nullable String ethnicity,
      @Nullable String background) {
    var robin =
        day.line()
            .bean(Participants.class)
            .enrol(
                new Enrolment(
                    day.line().strangersNumber(),
                    name,
                    gender,
                    ethnicity,
                    background,
                    ZoneId.of("Europe/Berlin"),
                    false,
                    "habit",
                    ChannelKind.SIMULATOR,
                    false,
                    null,
                    null,
                    null,
                    Map.of()));
    day.line().awaitTurn(robin, 1);
    return robin;
  }

  @Test
  void theProfileHoldsItsFieldsTheCountersAndTheTone() {
    var robin = day.scheduled("09:30");
    day.answered(
        robin,
        Scripted.call(
            "save_user_profile",
            "{\"tone_tags\":[\"concise\"],\"tone_update_source\":\"explicit\"}"));
    day.turnAt(robin, "09:30");
    day.line().answered(robin, "Done");
    var profile = json(robin).path("userProfile");
    assertThat(profile.path("prompt_anchor").asText()).isEqualTo("while the coffee brews");
    assertThat(profile.path("preferred_time").asText()).isEqualTo("9:30");
    assertThat(profile.path("intensity").asText()).isEqualTo("normal");
    assertThat(profile.path("success_count").intValue()).isEqualTo(1);
    assertThat(profile.path("total_prompts").intValue()).isEqualTo(1);
    assertThat(profile.path("tone").path("tone_tags").toString()).isEqualTo("[\"concise\"]");
    assertThat(profile.path("tone").path("tone_scores").path("concise").isNumber()).isTrue();
    assertThat(profile.path("tone").path("tone_version").isInt()).isTrue();
    assertThat(profile.path("tone").path("tone_update_source").asText()).isEqualTo("explicit");
    assertThat(profile.path("tone").path("tone_last_updated_at").asText())
        .isEqualTo(day.utc("08:15"));
    assertThat(profile.path("created_at").asText()).isEqualTo(day.utc("08:15"));
    assertThat(profile.path("updated_at").asText()).isEqualTo(day.utc("08:15"));
    assertThat(profile.has("last_barrier")).isFalse();
  }

  @Test
  void theTextOfThePromptIsTheOneWrittenLast() {
    var robin = day.scheduled("09:30");
    assertThat(day.state(robin)).doesNotContainKey("lastHabitPrompt");
    day.fake()
        .then(
            PromptDay.generate("immediate"),
            Scripted.say("After lunch, breathe."),
            Scripted.say("After lunch, breathe."));
    day.line().answered(robin, "now");
    assertThat(day.state(robin)).containsEntry("lastHabitPrompt", "After lunch, breathe.");
    day.line().answered(robin, "that was nice");
    day.turnAt(robin, "09:30");
    assertThat(day.state(robin)).containsEntry("lastHabitPrompt", PromptDay.PROMPT);
  }

  @Test
  void aFixedScheduleIsRegisteredWithItsTimeAndItsTimer() {
    var robin = day.scheduled("09:30");
    var id = day.line().column("SELECT id FROM schedule WHERE participant_id = ?", robin.id());
    assertThat(schedule(robin))
        .isEqualTo(
            Map.of(
                "id", id.getFirst(),
                "type", "fixed",
                "fixed_time", "09:30",
                "timezone", "Europe/Berlin",
                "created_at", day.utc("08:15"),
                "timer_id", day.wakeupId(robin, "daily_prompt"),
                "next_at", day.utc("09:30")));
  }

  @Test
  void aRandomScheduleIsRegisteredWithItsWindow() {
    var robin = day.greeted(ChannelKind.SIMULATOR);
    day.answered(
        robin,
        PromptDay.scheduler(
            "{\"action\":\"create\",\"random_start_time\":\"8:30\",\"random_end_time\":\"9:30\"}"));
    assertThat(schedule(robin).keySet())
        .map(String::valueOf)
        .containsExactly(
            "id",
            "type",
            "random_start_time",
            "random_end_time",
            "timezone",
            "created_at",
            "timer_id",
            "next_at");
    assertThat(schedule(robin).get("type")).isEqualTo("random");
    assertThat(schedule(robin).get("random_start_time")).isEqualTo("08:30");
    assertThat(schedule(robin).get("random_end_time")).isEqualTo("09:30");
    assertThat(String.valueOf(schedule(robin).get("next_at")))
        .isBetween(day.utc("08:30"), day.utc("09:30"));
  }

  @Test
  void aScheduleOfSomebodyPausedHasNoTimer() {
    var robin = day.scheduled("09:30");
    day.becomes(robin, ParticipantStatus.PAUSED);
    assertThat(schedule(robin).keySet())
        .map(String::valueOf)
        .containsExactly("id", "type", "fixed_time", "timezone", "created_at");
  }

  @Test
  void aPendingPromptSaysSinceWhenAndUntilWhen() {
    var robin = day.prompted();
    assertThat(day.state(robin))
        .containsEntry(
            "dailyPromptPending",
            Map.of(
                "sent_at", day.utc("09:30"),
                "to", robin.phone().e164(),
                "reminder_due_at", day.utc("14:30"),
                "occurrence", day.today() + "#1"))
        .containsEntry("lastPromptSentAt", day.utc("09:30"))
        .containsEntry("lastIntensityPromptDate", day.today())
        .containsEntry("autoFeedbackTimerID", day.wakeupId(robin, "auto_feedback"))
        .containsEntry("dailyPromptReminderTimerID", day.wakeupId(robin, "reminder"))
        .doesNotContainKeys(
            "dailyPromptReminderSentAt",
            "dailyPromptRespondedAt",
            "feedbackState",
            "feedbackTimerID",
            "feedbackFollowupTimerID",
            "stateTransitionTimerID");
  }

  @Test
  void thePromptOfTheNextDayTakesThePlaceOfTheOneBefore() {
    var robin = day.prompted();
    day.turnAt(robin, "09:35");
    day.turnAt(robin, "14:30");
    day.turnAt(robin, "09:30");
    assertThat(json(robin).path("dailyPromptPending").path("occurrence").asText())
        .isEqualTo(day.tomorrow() + "#1");
    assertThat(day.state(robin))
        .containsEntry("lastPromptSentAt", day.tomorrow() + "T08:30:00Z")
        .containsEntry("dailyPromptReminderSentAt", day.utc("14:30"));
  }

  @Test
  void nothingElseIsStored() {
    var robin = day.prompted();
    assertThat(day.line().data(robin))
        .containsOnlyKeys(
            "conversationState", "userProfile", "lastHabitPrompt", "lastIntensityPromptDate");
    assertThat(day.state(robin)).doesNotContainKey("systemPrompt");
  }
}
