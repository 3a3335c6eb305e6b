package org.habitline.budgets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.habitline.conversation.wakeups.PromptDay;
import org.habitline.llm.openai.Scripted;
import org.habitline.messaging.Delivery;
import org.habitline.messaging.LookUp;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.PhoneNumber;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What may be sent on one day, and to which countries. */
final class SegmentBudgetsTest {

  private static final String USED_UP = "today's budget of the participant is used up: segments";

  private static PromptDay day;

  @BeforeAll
  static void start() {
    day =
        PromptDay.of(
            SegmentBudgetsTest.class,
            setup ->
                setup.study(
                    "budgets:\n  participant: {segments: 2, tokens: 100000}\n  countries: [US]\n"));
  }

  @AfterAll
  static void stop() {
    day.close();
  }

  @BeforeEach
  void begin() {
    day.begin();
    day.at("10:00");
  }

  private static long segments(Participant robin) {
    return day
        .line()
        .column("SELECT segments FROM participant_spend WHERE participant_id = ?", robin.id())
        .stream()
        .mapToLong(Long::parseLong)
        .sum();
  }

  private static List<Map<String, Object>> deliveries(Participant robin, String kind) {
    return day.line()
        .rows(
            "SELECT * FROM outbox WHERE participant_id = ? AND kind = ? ORDER BY seq",
            robin.id(),
            kind);
  }

  private static Participant withUsedSegments() {
    var robin = day.greeted(ChannelKind.SMS);
    day.fake().then(Scripted.say("One."));
    day.line().answered(robin, "one");
    assertThat(segments(robin)).isEqualTo(2);
    day.fake().forget();
    return robin;
  }

  @Test
  void onceTheSegmentsAreUsedOnlyOneTextSaysSoAndWhatProtectsPeopleGoesOut() {
    var robin = withUsedSegments();
    assertThat(day.line().answered(robin, "two")).containsEntry("reason", USED_UP);
    assertThat(day.line().answered(robin, "three")).containsEntry("reason", USED_UP);
    assertThat(deliveries(robin, "status"))
        .singleElement()
        .satisfies(it -> assertThat(it).containsEntry("status", "accepted"));
    assertThat(day.fake().asked()).isEmpty();
    day.line().answered(robin, "help");
    assertThat(deliveries(robin, "help"))
        .singleElement()
        .satisfies(it -> assertThat(it).containsEntry("status", "accepted"));
    day.line().answered(robin, "I want to kill myself tonight");
    await()
        .untilAsserted(() ->
            assertThat(deliveries(robin, "crisis"))
                .singleElement()
                .satisfies(it -> assertThat(it).containsEntry("status", "accepted")));
  }

  @Test
  void whatTheCoachPlannedIsDroppedWithItsReason() {
    var robin = day.scheduled("10:30");
    day.line()
        .write("UPDATE participant_spend SET segments = 5 WHERE participant_id = ?", robin.id());
    day.turnAt(robin, "10:30");
    assertThat(deliveries(robin, "prompt"))
        .singleElement()
        .satisfies(it ->
            assertThat(it).containsEntry("status", "refused").containsEntry("reason", USED_UP));
  }

  @Test
  void aMessageThatTheProviderDidNotTakeIsNotCounted() {
    var robin = day.greeted(ChannelKind.SMS);
    day.sms().defer(robin, Duration.ZERO);
    day.fake().then(Scripted.say("One."));
    day.line().answered(robin, "one");
    assertThat(deliveries(robin, "reply").getLast()).containsEntry("attempts", 2);
    assertThat(segments(robin)).isEqualTo(2);
  }

  @Test
  void aMessageWhoseOutcomeIsUnknownIsCountedUntilItIsKnownThatItWasNotSent() {
    var robin = day.greeted(ChannelKind.SMS);
    day.sms().then(robin, message -> new Delivery.Unknown("timeout"));
    day.sms().found(robin, new LookUp.NotSent());
    day.fake().then(Scripted.say("One."));
    day.line().answered(robin, "one");
    assertThat(deliveries(robin, "reply").getLast()).containsEntry("status", "accepted");
    assertThat(segments(robin)).isEqualTo(2);
  }

  @Test
  void nobodyInAnotherCountryIsTextedExceptInACrisis() {
    var robin = day.line().enrol(ChannelKind.SMS, "Robin", new PhoneNumber("+34612345678"));
    day.line().awaitTurn(robin, 1);
    assertThat(deliveries(robin, "reply"))
        .singleElement()
        .satisfies(it ->
            assertThat(it)
                .containsEntry("status", "refused")
                .containsEntry(
                    "reason",
                    "numbers of ES may not be texted; budgets.countries in config/study.yaml allows US."));
    assertThat(segments(robin)).isZero();
    day.line().answered(robin, "I want to kill myself tonight");
    await()
        .untilAsserted(() ->
            assertThat(deliveries(robin, "crisis"))
                .singleElement()
                .satisfies(it -> assertThat(it).containsEntry("status", "accepted")));
  }

  @Test
  void aDailyPromptWithoutABudgetIsTheFlowsOwnText() {
    var robin = day.scheduled("11:00");
    day.line()
        .write(
            "UPDATE participant_spend SET tokens = 100000, segments = 0 WHERE participant_id = ?",
            robin.id());
    day.fake().forget();
    assertThat(day.turnAt(robin, "11:00"))
        .containsEntry("outcome", "woke")
        .containsEntry(
            "reason",
            "today's budget of the participant is used up: tokens; the flow's fallback message was"
                + " sent");
    assertThat(day.fake().asked()).isEmpty();
    assertThat(deliveries(robin, "prompt"))
        .singleElement()
        .satisfies(it -> assertThat(it).containsEntry("status", "accepted"));
  }
}
