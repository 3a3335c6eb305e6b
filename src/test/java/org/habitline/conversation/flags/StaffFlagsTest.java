package org.habitline.conversation.flags;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.habitline.conversation.flags.JdbcFlags.Flag;
import org.habitline.conversation.takeover.Takeover;
import org.habitline.conversation.wakeups.PromptDay;
import org.habitline.llm.openai.Scripted;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.safety.alerts.Alerting;
import org.habitline.safety.incidents.EntryKind;
import org.habitline.safety.incidents.Incident;
import org.habitline.safety.incidents.IncidentEntry;
import org.habitline.safety.incidents.IncidentOutcome;
import org.habitline.safety.incidents.IncidentStatus;
import org.habitline.safety.incidents.Incidents;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the coach flags is shown to staff: today, or at once. */
final class StaffFlagsTest {

  private static final String PAUSED = "coaching is paused until the safety incident is released";

  private static PromptDay day;

  @BeforeAll
  static void start() {
    day =
        PromptDay.of(
            StaffFlagsTest.class,
            setup ->
                setup.study(
                    """
                    safety:
                      time_zone: UTC
                      email: {host: 127.0.0.1, port: 9, security: none, from: line@example.org}
                      rota:
                        - nurse: {email: nurse@example.org}
                    """));
    day.line().bean(Alerting.class).start();
  }

  @AfterAll
  static void stop() {
    day.line().bean(Alerting.class).stop(Duration.ofSeconds(1));
    day.close();
  }

  @BeforeEach
  void begin() {
    day.begin();
    day.at("10:00");
  }

  private static Participant robin() {
    return day.greeted(ChannelKind.SIMULATOR);
  }

  private static Scripted flag(String kind, String urgency) {
    return Scripted.call(
        "flag_for_staff", "{\"kind\":\"%s\",\"urgency\":\"%s\"}".formatted(kind, urgency));
  }

  /** Texts, and lets the coach flag something before it replies. */
  private static Map<String, Object> flagged(
      Participant robin, String text, String kind, String urgency) {
    day.fake().then(flag(kind, urgency));
    day.fake().then(Scripted.say("Thank you for telling me."));
    return day.line().answered(robin, text);
  }

  private static List<Flag> flags(Participant robin, FlagStatus status) {
    return day.line().bean(Flags.class).list(status, 1000).stream()
        .filter(flag -> flag.participantId().equals(robin.id()))
        .toList();
  }

  private static List<Incident> incidents(Participant robin) {
    return day.line().bean(Incidents.class).unreleased(1000).stream()
        .filter(incident -> robin.id().equals(incident.participantId()))
        .toList();
  }

  private static List<EntryKind> entries(Incident incident) {
    return day.line().bean(Incidents.class).entries(incident.id()).stream()
        .map(IncidentEntry::kind)
        .toList();
  }

  private static List<String> events(Participant robin) {
    return day.line()
        .column(
            "SELECT type FROM event WHERE participant_id = ? AND type IN ('flag.changed',"
                + " 'incident.changed') ORDER BY seq",
            robin.id());
  }

  @Test
  void aFlagForTodayIsListedUntilSomebodyClosesItAndTheReplyIsSent() {
    var robin = robin();
    assertThat(flagged(robin, "the new tablets do not agree with me", "adverse_event", "today"))
        .containsEntry("outcome", "replied");
    assertThat(day.texts(robin, "reply")).contains("Thank you for telling me.");
    flagged(robin, "still the same", "adverse_event", "today");
    assertThat(flags(robin, FlagStatus.OPEN))
        .singleElement()
        .satisfies(flag -> {
          assertThat(flag.kind().word()).isEqualTo("adverse_event");
          assertThat(flag.turn()).isEqualTo(2);
          assertThat(flag.lastTurn()).isEqualTo(3);
          assertThat(flag.times()).isEqualTo(2);
        });
    assertThat(incidents(robin)).isEmpty();
    assertThat(events(robin)).containsExactly("flag.changed");

    var open = flags(robin, FlagStatus.OPEN).getFirst();
    var flags = day.line().bean(Flags.class);
    assertThat(flags.close(open, "Called them.", "Sam")).isTrue();
    assertThat(flags.close(open, "Called them.", "Kim")).isFalse();
    assertThat(flags(robin, FlagStatus.CLOSED))
        .singleElement()
        .satisfies(flag -> {
          assertThat(flag.closedBy()).isEqualTo("Sam");
          assertThat(flag.note()).isEqualTo("Called them.");
        });
    flagged(robin, "the same again", "adverse_event", "today");
    assertThat(flags(robin, FlagStatus.OPEN)).hasSize(1);
    assertThat(
            day.line()
                .column(
                    "SELECT action FROM audit_event WHERE participant_id = ? AND action LIKE 'flag%'",
                    robin.id()))
        .containsExactly("flag raised", "flag raised");
  }

  @Test
  void aFlagThatIsRaisedTwiceInATurnCountsOnce() {
    var robin = robin();
    for (int turn = 1; turn <= 2; turn++) {
      day.fake().then(flag("other", "today"));
      flagged(robin, "something is odd", "other", "today");
      assertThat(flags(robin, FlagStatus.OPEN))
          .singleElement()
          .extracting(Flag::times)
          .isEqualTo(turn);
    }
  }

  @Test
  void anUrgentFlagAlertsStaffAndTheCoachGoesOn() {
    var robin = robin();
    assertThat(flagged(robin, "I was not well after the tablets", "adverse_event", "now"))
        .containsEntry("outcome", "replied");
    assertThat(day.texts(robin, "reply")).contains("Thank you for telling me.");
    assertThat(day.texts(robin, "crisis")).isEmpty();
    assertThat(flags(robin, FlagStatus.OPEN)).isEmpty();
    var incident = incidents(robin).getFirst();
    assertThat(incident)
        .extracting(it -> it.level().word(), it -> it.kind().word(), Incident::urgent)
        .containsExactly("concern", "adverse_event", true);
    assertThat(entries(incident)).containsExactly(EntryKind.FLAG);
    await()
        .until(() ->
            !day.line()
                .rows("SELECT id FROM alert WHERE incident_id = ?", incident.id())
                .isEmpty());
    assertThat(day.line().answered(robin, "what now?")).containsEntry("outcome", "replied");

    // The same again, and later: whoever looks after it is alerted again only after an hour.
    var all = day.line().bean(Incidents.class);
    all.acknowledge(incident, "Sam");
    flagged(robin, "not well again", "adverse_event", "now");
    assertThat(incidents(robin))
        .extracting(Incident::status)
        .containsExactly(IncidentStatus.ACKNOWLEDGED);
    day.line().study().advance(Duration.ofMinutes(61));
    flagged(robin, "and again", "wants_a_person", "now");
    assertThat(incidents(robin)).extracting(Incident::status).containsExactly(IncidentStatus.OPEN);
    all.acknowledge(incident, "Sam");
    all.release(incident, IncidentOutcome.REFERRED, null, "Sam");
  }

  @Test
  void dangerThatNoRuleFoundIsACrisisAndNothingOfTheReplyRemains() {
    var robin = robin();
    day.fake()
        .then(
            Scripted.calls(
                new Scripted.Call(
                    "call_1", "flag_for_staff", "{\"kind\":\"danger\",\"urgency\":\"now\"}"),
                new Scripted.Call(
                    "call_2",
                    "save_user_profile",
                    "{\"prompt_anchor\":\"after I said goodbye\"}")));
    day.fake().then(Scripted.say("Great, let us plan your week!"));
    assertThat(day.line().answered(robin, "the shed is tidy and every key has a label now"))
        .containsEntry("outcome", "not_for_the_coach")
        .containsEntry("reason", PAUSED);
    assertThat(day.texts(robin, "reply")).doesNotContain("Great, let us plan your week!");
    await().until(() -> day.texts(robin, "crisis").size() == 1);
    var fixed = day.texts(robin, "crisis").getFirst();
    await().until(() -> day.line().phone(robin).contains(fixed));
    var incident = incidents(robin).getFirst();
    assertThat(incident)
        .extracting(it -> it.level().word(), it -> it.kind().word())
        .containsExactly("crisis", "danger");
    assertThat(entries(incident)).containsExactly(EntryKind.FLAG, EntryKind.SENT);
    assertThat(day.line().rows("SELECT * FROM message WHERE incident_id = ?", incident.id()))
        .extracting(row -> row.get("content"))
        .containsExactlyInAnyOrder("the shed is tidy and every key has a label now", fixed);
    assertThat(day.line().data(robin).toString()).doesNotContain("goodbye");

    var asked = day.fake().asked().size();
    assertThat(day.line().answered(robin, "are you there?")).containsEntry("reason", PAUSED);
    assertThat(day.fake().asked()).hasSize(asked);
  }

  @Test
  void theTextForDangerThatNoRuleFoundIsInTheLanguageTheyWrite() {
    var robin = robin();
    day.fake().then(flag("danger", "now"));
    day.line().answered(robin, "ya he dejado las llaves en la mesa para que las tengan todos");
    await().until(() -> day.texts(robin, "crisis").size() == 1);
    assertThat(day.texts(robin, "crisis").getFirst()).startsWith("Este es un mensaje automático.");
  }

  @Test
  void aFlagOfATurnThatStaffTakeOverStaysAndOneOfATurnThatIsLostDoesNot() {
    var robin = robin();
    var held = new CountDownLatch(1);
    day.fake().then(flag("medication_stopped", "today"));
    day.fake().then(Scripted.say("Thank you.").heldBy(held));
    var next = day.line().turns(robin) + 1;
    day.line().text(robin, "I stopped the tablets");
    await().until(() -> day.fake().pending() == 1);
    assertThat(flags(robin, FlagStatus.OPEN)).as("before the turn is committed").isEmpty();
    day.line().bean(Takeover.class).mute(robin.id(), Duration.ofMinutes(30), "Sam");
    held.countDown();
    assertThat(day.line().awaitTurn(robin, next)).containsEntry("outcome", "taken_over");
    assertThat(flags(robin, FlagStatus.OPEN)).hasSize(1);

    var other = robin();
    var again = new CountDownLatch(1);
    day.fake().then(flag("medication_stopped", "today"));
    day.fake().then(Scripted.say("Thank you.").heldBy(again));
    var lost = day.line().turns(other) + 1;
    day.line().text(other, "I stopped the tablets");
    await().until(() -> day.fake().pending() == 1);
    day.line().text(other, "I want to kill myself tonight");
    again.countDown();
    assertThat(day.line().awaitTurn(other, lost)).containsEntry("reason", PAUSED);
    assertThat(flags(other, FlagStatus.OPEN)).isEmpty();
  }
}
