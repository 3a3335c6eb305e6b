package org.habitline.staff.participant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.micronaut.security.authentication.Authentication;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.habitline.conversation.stored.StateReader;
import org.habitline.conversation.wakeups.PromptDay;
import org.habitline.llm.openai.Scripted;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Times;
import org.habitline.timers.WakeupKind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What staff change about a participant meets the turns of the coach, and the timeline tells it.
 */
final class StaffChangesTest {

  private static final Actor STAFF = new Actor("Sam", "staff");

  private static PromptDay day;

  @BeforeAll
  static void start() {
    day = PromptDay.of(StaffChangesTest.class);
  }

  @AfterAll
  static void stop() {
    day.close();
  }

  @BeforeEach
  void begin() {
    day.begin();
  }

  private static ProfileDesk desk() {
    return day.line().bean(ProfileDesk.class);
  }

  private static ProfileDesk.Outcome change(Participant participant, String field, JsonNode value) {
    return desk()
        .change(
            STAFF,
            participant.id(),
            new ProfileDesk.Wanted(Map.of(field, value), Map.of(), "said so on the phone"));
  }

  private static String stored(Participant participant, String field) {
    return day.line()
        .bean(StateReader.class)
        .storedProfile(participant)
        .map(profile -> ProfileDesk.stored(profile, field))
        .orElseThrow();
  }

  @Test
  void theCoachIsShownTheNewValueFromItsNextMessageOn() {
    var robin = day.scheduled("09:30");
    assertThat(change(robin, "prompt_anchor", TextNode.valueOf("after the school run")))
        .isInstanceOf(ProfileDesk.Outcome.Saved.class);
    day.line().answered(robin, "hello again");
    assertThat(day.fake().asked().getLast().body().toString()).contains("after the school run");
    assertThat(
            day.line()
                .column(
                    "SELECT concat(changed_by, ': ', old_value, ' -> ', new_value) FROM profile_change"
                        + " WHERE participant_id = ? AND turn IS NULL ORDER BY seq",
                    robin.id()))
        .containsExactly("Sam: \"while the coffee brews\" -> \"after the school run\"");
  }

  @Test
  void aChangeWaitsForATurnThatIsRunningAndBothAreKept() throws Exception {
    var robin = day.scheduled("09:30");
    try (var staff = Executors.newVirtualThreadPerTaskExecutor()) {
      var changed = new AtomicReference<Future<?>>();
      day.fake()
          .then(
              Scripted.call("save_user_profile", "{\"habit_domain\":\"walking\"}"),
              Scripted.say("Noted."));
      day.busy(
          robin,
          () -> {
            day.line().text(robin, "walking, please");
            changed.set(
                staff.submit(
                    () -> change(robin, "prompt_anchor", TextNode.valueOf("after lunch"))));
            assertThat(stored(robin, "prompt_anchor")).isEqualTo("while the coffee brews");
          });
      changed.get().get();
    }
    day.line().awaitRest(robin);
    assertThat(stored(robin, "prompt_anchor")).isEqualTo("after lunch");
    assertThat(stored(robin, "habit_domain")).isEqualTo("walking");
  }

  @Test
  void theRulesOfTheCoachHoldForStaffToo() {
    var robin = day.scheduled("09:30");
    assertThat(change(robin, "confidence", TextNode.valueOf("very")))
        .isInstanceOfSatisfying(
            ProfileDesk.Outcome.Refused.class,
            refused ->
                assertThat(refused.problems().getFirst().sentence())
                    .isEqualTo(
                        "fields.confidence: A whole number from 0 to 10 is expected, not a text."));
    var _ = change(robin, "last_barrier", TextNode.valueOf("rain"));
    // A new moment archives what was learned about the old one, as the coach's tool does.
    assertThat(change(robin, "prompt_anchor", TextNode.valueOf("after lunch")))
        .isInstanceOfSatisfying(
            ProfileDesk.Outcome.Saved.class,
            saved -> {
              assertThat(saved.changed()).contains("prompt_anchor", "last_barrier");
              assertThat(saved.notes()).hasSize(1);
            });
    assertThat(stored(robin, "last_barrier")).isEmpty();
  }

  @Test
  void theValueBeforeAChangeCanBeSetAgain() {
    var robin = day.scheduled("09:30");
    var _ = change(robin, "preferred_time", NullNode.getInstance());
    assertThat(stored(robin, "preferred_time")).isEmpty();
    var changes = day.line().bean(StateReader.class).profileChanges(robin.id());
    var _ = desk().restore(STAFF, robin.id(), changes.getLast().seq(), null);
    assertThat(stored(robin, "preferred_time")).isEqualTo("9:30");
    assertThatThrownBy(() -> desk().restore(STAFF, robin.id(), 0, null))
        .isInstanceOf(ApiProblem.class)
        .hasMessageContaining("no such change");
  }

  @Test
  void aFormThatShowedAnOlderValueOverwritesNothing() {
    var robin = day.scheduled("09:30");
    var _ = change(robin, "prompt_anchor", TextNode.valueOf("after lunch"));
    var late =
        desk()
            .wanted(
                robin,
                Map.of(
                    "fields.prompt_anchor", "at night",
                    "seen.prompt_anchor", "while the coffee brews",
                    "fields.preferred_time", "9:30",
                    "seen.preferred_time", "9:30"));
    assertThat(late.values()).containsOnlyKeys("prompt_anchor");
    assertThat(desk().change(STAFF, robin.id(), late))
        .isInstanceOfSatisfying(
            ProfileDesk.Outcome.Refused.class,
            refused ->
                assertThat(refused.problems().getFirst().sentence())
                    .contains("fields.prompt_anchor: Changed by someone else", "after lunch"));
    assertThat(stored(robin, "prompt_anchor")).isEqualTo("after lunch");
  }

  @Test
  void aMoveToAnotherFlowEndsWhatThatFlowDoesNotHave() {
    var robin = day.scheduled("09:30");
    var flows = day.line().bean(FlowDesk.class);
    var before = flows.preview(robin, "tasks").consequences();
    assertThat(before.ending()).hasSize(1);
    assertThat(before.unused()).contains("prompt_anchor");
    var _ = flows.move(STAFF, robin.id(), "tasks", "asked for it");
    assertThat(day.wakeupsAndNudges(robin)).isEmpty();
    assertThat(day.now(robin).flow()).isEqualTo("tasks");
    assertThat(day.state(robin)).containsEntry("conversationState", before.module());
    day.line().answered(robin, "what now?");
    assertThat(stored(robin, "prompt_anchor")).isEqualTo("while the coffee brews");
    assertThatThrownBy(() -> flows.move(STAFF, robin.id(), "tasks", "again"))
        .isInstanceOf(ApiProblem.class)
        .hasMessageContaining("has this flow already");
  }

  @Test
  void aPromptThatIsTakenAfterAMoveToAnotherFlowIsFollowedByNothing() {
    var robin = day.scheduled(ChannelKind.SMS, "09:30");
    var held = new CountDownLatch(1);
    day.sms().then(robin, message -> PromptDay.after(held, message));
    day.ringsAt("09:30");
    await().until(() -> day.sms().attempts(robin, PromptDay.BY_SMS) == 1);
    day.at("09:31");
    var _ = day.line().bean(FlowDesk.class).move(STAFF, robin.id(), "tasks", "asked for it");
    held.countDown();
    await().until(() -> day.occurrence(robin, day.today()).get("sent_at") != null);
    assertThat(day.wakeupsAndNudges(robin)).isEmpty();
    assertThat(day.occurrence(robin, day.today()))
        .containsEntry("status", "sent")
        .containsEntry("pending", false)
        .containsEntry("follow_up", null);
  }

  @Test
  void aMoveToAnotherFlowEndsTheWaitForAReplyToItsLastPrompt() {
    var robin = day.prompted();
    assertThat(day.wakeups(robin)).contains("reminder", "auto_feedback");
    var flows = day.line().bean(FlowDesk.class);
    assertThat(flows.preview(robin, "tasks").consequences().planned())
        .contains(WakeupKind.REMINDER, WakeupKind.AUTO_FEEDBACK);
    var _ = flows.move(STAFF, robin.id(), "tasks", "asked for it");
    assertThat(day.wakeupsAndNudges(robin)).isEmpty();
    assertThat(day.occurrence(robin, day.today()))
        .containsEntry("pending", false)
        .containsEntry("follow_up", "not_wanted");
  }

  @Test
  void aMoveWaitsForATurnThatIsRunningAndIsNotUndoneByIt() throws Exception {
    var robin = day.scheduled("09:30");
    var flows = day.line().bean(FlowDesk.class);
    try (var staff = Executors.newVirtualThreadPerTaskExecutor()) {
      var moved = new AtomicReference<Future<?>>();
      day.fake().then(PromptDay.transition("FEEDBACK", "0"), Scripted.say("Moving on."));
      day.busy(
          robin,
          () -> {
            day.line().text(robin, "let us look back");
            moved.set(staff.submit(() -> flows.move(STAFF, robin.id(), "tasks", "asked for it")));
            assertThat(day.now(robin).flow()).isEqualTo("habit");
          });
      moved.get().get();
    }
    day.line().awaitRest(robin);
    assertThat(day.now(robin).flow()).isEqualTo("tasks");
    assertThat(day.state(robin))
        .containsEntry(
            "conversationState",
            flows.preview(day.scheduled("10:00"), "tasks").consequences().module());
  }

  private static List<String> told(Participant participant) {
    var reader = Authentication.build("Sam", Set.of("viewer", "researcher", "staff"));
    return day
        .line()
        .bean(Timeline.class)
        .page(reader, day.now(participant), "", "", 100)
        .entries()
        .stream()
        .map(Timeline.Entry::sentence)
        .toList();
  }

  @Test
  void theTimelineTellsPromptsAnswersAndMovesNewestFirst() {
    var robin = day.scheduled("09:30");
    day.turnAt(robin, "09:30");
    day.at("09:40");
    day.answered(robin, PromptDay.transition("FEEDBACK", "0"));
    day.line().answered(robin, "and now?");
    assertThat(told(robin))
        .containsSubsequence(
            "The participant answered the daily prompt of %s after 10 min."
                .formatted(Times.readable(day.today(), ZoneOffset.UTC)),
            "Habitline sent the daily prompt of %s."
                .formatted(Times.readable(day.today(), ZoneOffset.UTC)),
            "Daily prompts were planned at 09:30.")
        .contains("The coach changed the profile: preferred time from empty to “9:30”.")
        .anyMatch(it -> it.startsWith("Module Feedback took over from "))
        .last()
        .asString()
        .endsWith(" enrolled the participant.");
  }

  @Test
  void theTimelineTellsWhatWasMissedSkippedAndWhatFailed() {
    var robin = day.scheduled("09:30");
    day.turnAt(robin, "15:00");
    var _ = day.line().bean(TakeoverDesk.class).mute(STAFF, robin.id(), 60, "wants a person");
    day.line().text(robin, "STOP");
    await()
        .untilAsserted(() ->
            assertThat(told(robin))
                .contains("The participant opted out by text.", "Sam took over the conversation.")
                .anyMatch(it ->
                    it.startsWith(
                        "The daily prompt of %s was missed ("
                            .formatted(Times.readable(day.today(), ZoneOffset.UTC)))));
  }
}
