package org.habitline.safety.incidents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.habitline.conversation.stored.TranscriptReader;
import org.habitline.conversation.takeover.Takeover;
import org.habitline.conversation.wakeups.PromptDay;
import org.habitline.llm.openai.Scripted;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.OutboundMessage;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.IncomingText;
import org.habitline.messaging.inbox.Unclaimed;
import org.habitline.messaging.outbox.SendingStop;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantStatus;
import org.habitline.participants.Participants;
import org.habitline.storage.Ids;
import org.habitline.storage.Transactions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Someone in danger gets a fixed text at once, no coaching, and people who look after them. */
final class IncidentTest {

  private static final String DANGER = "I want to kill myself tonight";
  private static final String PAUSED = "coaching is paused until the safety incident is released";

  private static PromptDay day;

  @BeforeAll
  static void start() {
    day = PromptDay.of(IncidentTest.class);
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

  private static Incidents incidents() {
    return day.line().bean(Incidents.class);
  }

  private static Participant robin() {
    return day.greeted(ChannelKind.SIMULATOR);
  }

  private static Incident incident(Participant participant) {
    return incidents().crisis(participant.id()).orElseThrow();
  }

  private static List<EntryKind> entries(Incident incident) {
    return incidents().entries(incident.id()).stream().map(IncidentEntry::kind).toList();
  }

  private static void fixedTextArrives(Participant participant, int texts) {
    await().until(() -> day.texts(participant, "crisis").size() == texts);
    var fixed = day.texts(participant, "crisis").getLast();
    await().until(() -> day.line().phone(participant).contains(fixed));
    assertThat(fixed).startsWith("This is an automated message.");
  }

  private static void released(Incident incident) {
    incidents().acknowledge(incident, "Sam");
    incidents().record(incident, EntryKind.CONTACT, "spoke with them", "Sam");
    incidents().release(incident, IncidentOutcome.REFERRED, null, "Sam");
  }

  @Test
  void theFixedTextGoesOutAtOnceAndNoModelIsAsked() {
    var robin = robin();
    assertThat(day.line().answered(robin, DANGER))
        .containsEntry("outcome", "not_for_the_coach")
        .containsEntry("reason", PAUSED);
    fixedTextArrives(robin, 1);
    assertThat(day.fake().asked()).isEmpty();
    var incident = incident(robin);
    assertThat(incident)
        .extracting(
            it -> it.level().word(), it -> it.kind().word(), Incident::status, Incident::texts)
        .containsExactly("crisis", "suicide_or_self_harm", IncidentStatus.OPEN, 1);
    assertThat(incident.rule()).startsWith("en/");
    assertThat(incident.rulesVersion()).hasSize(12);
    assertThat(entries(incident)).containsExactly(EntryKind.TEXT, EntryKind.SENT);
    assertThat(day.line().rows("SELECT * FROM message WHERE incident_id = ?", incident.id()))
        .extracting(row -> row.get("content"))
        .containsExactlyInAnyOrder(DANGER, day.texts(robin, "crisis").getFirst());
  }

  @Test
  void aReplyThatIsBeingWrittenIsDiscarded() {
    var robin = robin();
    var held = new CountDownLatch(1);
    day.fake().then(Scripted.say("Great, let us plan your week!").heldBy(held));
    var next = day.line().turns(robin) + 1;
    day.line().text(robin, "hello?");
    await().until(() -> day.fake().pending() == 1);
    day.line().text(robin, DANGER);
    fixedTextArrives(robin, 1);
    held.countDown();
    assertThat(day.line().awaitTurn(robin, next)).containsEntry("reason", PAUSED);
    day.line().awaitTurn(robin, next + 1);
    assertThat(day.texts(robin, "reply")).doesNotContain("Great, let us plan your week!");
  }

  @Test
  void anOptOutThatTheCoachIsDecidingIsDiscardedToo() {
    var robin = robin();
    var held = new CountDownLatch(1);
    day.fake()
        .then(
            Scripted.calls(
                    new Scripted.Call(
                        "call_1", "save_user_profile", "{\"prompt_anchor\":\"my last walk\"}"),
                    new Scripted.Call("call_2", "opt_out", "{\"confirmation_text\":\"Goodbye.\"}"))
                .heldBy(held));
    var next = day.line().turns(robin) + 1;
    day.line().text(robin, "this is getting a bit much for me");
    await().until(() -> day.fake().pending() == 1);
    day.line().text(robin, DANGER);
    fixedTextArrives(robin, 1);
    held.countDown();
    assertThat(day.line().awaitTurn(robin, next)).containsEntry("reason", PAUSED);
    day.line().awaitTurn(robin, next + 1);
    assertThat(day.line().bean(Participants.class).find(robin.id()).orElseThrow().optedOut())
        .isFalse();
    assertThat(day.texts(robin, "confirmation")).isEmpty();
    assertThat(day.line().data(robin).toString()).doesNotContain("my last walk");
  }

  @Test
  void whoeverIsPausedDoneWithdrawnOrTakenOverGetsTheTextAndWhoeverOptedOutIsCalled() {
    for (var status :
        List.of(
            ParticipantStatus.PAUSED, ParticipantStatus.COMPLETED, ParticipantStatus.WITHDRAWN)) {
      var robin = robin();
      day.line().write("UPDATE participant SET status = ? WHERE id = ?", status.word(), robin.id());
      day.line().answered(robin, DANGER);
      fixedTextArrives(robin, 1);
      assertThat(day.texts(robin, "status")).isEmpty();
    }
    var taken = robin();
    day.line().bean(Takeover.class).mute(taken.id(), Duration.ofMinutes(30), "Sam");
    day.line().answered(taken, DANGER);
    fixedTextArrives(taken, 1);

    var out = robin();
    day.line().answered(out, "STOP");
    day.line().answered(out, DANGER);
    assertThat(entries(incident(out))).containsExactly(EntryKind.TEXT, EntryKind.NOT_SENT);
    assertThat(day.texts(out, "crisis")).isEmpty();
  }

  /** Runs something while all sending is stopped. */
  private static void whileStopped(Runnable act) {
    var stop = day.line().bean(SendingStop.class);
    var transactions = day.line().bean(Transactions.class);
    transactions.write(() -> {
      assertThat(stop.stop("Sam", "a test")).isTrue();
    });
    try {
      act.run();
    } finally {
      transactions.write(() -> {
        assertThat(stop.resume()).isPresent();
      });
    }
  }

  @Test
  void aStopOfAllSendingDoesNotHoldTheText() {
    var robin = robin();
    whileStopped(() -> {
      day.line().text(robin, DANGER);
      fixedTextArrives(robin, 1);
    });
  }

  @Test
  void aNumberThatIsNotEnrolledGetsTheTextToo() {
    var number = day.line().strangersNumber();
    day.line()
        .bean(Inbox.class)
        .accept(new IncomingText(Ids.next("SM"), number, ChannelKind.SIMULATOR, DANGER));
    var stranger = day.line().bean(Participants.class).findWithContacts(number).orElseThrow();
    assertThat(stranger.contact()).isTrue();
    fixedTextArrives(stranger, 1);
    assertThat(incident(stranger).status()).isEqualTo(IncidentStatus.OPEN);
  }

  @Test
  void laterTextsJoinTheIncidentAndGetAHoldingTextAfterTwelveHours() {
    var robin = robin();
    day.line().answered(robin, DANGER);
    day.line().answered(robin, "I really will kill myself");
    day.line().answered(robin, "hello?");
    day.line().answered(robin, "everything feels pointless");
    fixedTextArrives(robin, 1);
    assertThat(incident(robin).texts()).as("with the concern").isEqualTo(3);
    day.at("22:30");
    day.line().answered(robin, DANGER);
    fixedTextArrives(robin, 2);
    assertThat(day.texts(robin, "crisis").getLast()).contains("Your message has arrived");
    assertThat(day.line().rows("SELECT * FROM incident WHERE participant_id = ?", robin.id()))
        .hasSize(1);
    assertThat(day.fake().asked()).isEmpty();
  }

  @Test
  void noPromptLeavesUntilTheIncidentIsReleased() {
    var robin = day.scheduled("10:10");
    day.line().answered(robin, DANGER);
    assertThat(day.turnAt(robin, "10:10")).containsEntry("outcome", "dropped");
    assertThat(day.occurrence(robin, day.today()))
        .containsEntry("status", "missed")
        .containsEntry("reason", PAUSED);
    assertThat(day.occurrence(robin, day.tomorrow())).containsEntry("status", "planned");
    assertThat(day.texts(robin, "prompt")).isEmpty();
  }

  @Test
  void aMessageOfTheCoachThatWaitsInTheOutboxIsNotSent() {
    var robin = robin();
    day.fake().then(Scripted.say("Time for your walk!"));
    var next = day.line().turns(robin) + 1;
    whileStopped(() -> {
      day.line().text(robin, "hello");
      await()
          .until(() ->
              day.line()
                  .turn(robin, next)
                  .filter(turn -> "done".equals(turn.get("status")))
                  .isPresent());
      day.line().text(robin, DANGER);
      fixedTextArrives(robin, 1);
    });
    await()
        .until(() ->
            !day.line()
                .rows(
                    "SELECT * FROM outbox WHERE participant_id = ? AND status = 'refused' AND kind = 'reply'",
                    robin.id())
                .isEmpty());
    assertThat(day.line().phone(robin)).doesNotContain("Time for your walk!");
  }

  @Test
  void aConcernGetsResourcesAndTheCoachGoesOn() {
    var robin = robin();
    day.fake().then(Scripted.say("I am sorry to hear that."));
    assertThat(day.line().answered(robin, "everything feels pointless"))
        .containsEntry("outcome", "replied");
    fixedTextArrives(robin, 1);
    assertThat(incidents().crisis(robin.id())).isEmpty();
    assertThat(incidents().unreleased(1000))
        .filteredOn(it -> robin.id().equals(it.participantId()))
        .extracting(Incident::isCrisis)
        .containsExactly(false);
  }

  @Test
  void anIdiomIsOrdinary() {
    var robin = robin();
    assertThat(day.line().answered(robin, "I could kill for a coffee, my legs are dying"))
        .containsEntry("outcome", "replied");
    assertThat(day.line().rows("SELECT * FROM incident WHERE participant_id = ?", robin.id()))
        .isEmpty();
  }

  @Test
  void onlyAPersonReleasesAfterAContactAndTheModelNeverSeesTheCrisis() {
    var robin = robin();
    day.line().answered(robin, DANGER);
    var incident = incident(robin);
    assertThatThrownBy(() -> incidents().release(incident, IncidentOutcome.REFERRED, null, "Sam"))
        .isInstanceOf(IncidentRefused.class)
        .hasMessageContaining("Acknowledge");
    incidents().acknowledge(incident, "Sam");
    assertThatThrownBy(() -> incidents().acknowledge(incident, "Kim"))
        .isInstanceOf(IncidentRefused.class);
    incidents().record(incident, EntryKind.ATTEMPT, "no answer", "Sam");
    assertThatThrownBy(() -> incidents().release(incident, IncidentOutcome.REFERRED, null, "Sam"))
        .isInstanceOf(IncidentRefused.class)
        .hasMessageContaining("contact");
    day.line()
        .bean(Takeover.class)
        .write(robin, "This is Sam. May I call you?", "Sam", OutboundKind.STAFF);
    day.line().answered(robin, "yes please call");
    day.line().awaitRest(robin);
    incidents().record(incident, EntryKind.CONTACT, "spoke with them", "Sam");
    incidents().release(incident, IncidentOutcome.REFERRED, null, "Sam");
    assertThat(incidents().find(incident.id()).orElseThrow())
        .extracting(Incident::status, Incident::outcome, Incident::releasedBy)
        .containsExactly(IncidentStatus.RELEASED, IncidentOutcome.REFERRED, "Sam");

    day.fake().then(Scripted.say("Welcome back."));
    assertThat(day.line().answered(robin, "hello again")).containsEntry("outcome", "replied");
    assertThat(Objects.toString(day.fake().asked().getLast().body()))
        .contains("hello again")
        .doesNotContain("kill", "automated message", "May I call you", "yes please call");
  }

  @Test
  void aTextThatCameBeforeTheReleaseIsKeptFromTheCoachAfterIt() {
    var robin = robin();
    var held = new CountDownLatch(1);
    day.fake().then(Scripted.say("One moment.").heldBy(held));
    var next = day.line().turns(robin) + 1;
    day.line().text(robin, "hello?");
    await().until(() -> day.fake().pending() == 1);
    day.line().text(robin, DANGER);
    fixedTextArrives(robin, 1);
    released(incident(robin));
    held.countDown();
    day.line().awaitTurn(robin, next);
    assertThat(day.line().awaitTurn(robin, next + 1)).containsEntry("outcome", "not_for_the_coach");
    assertThat(day.fake().asked())
        .noneSatisfy(asked -> assertThat(Objects.toString(asked.body())).contains("kill"));
  }

  @Test
  void anErasureLeavesTheIncidentWithoutThePerson() {
    var robin = robin();
    day.line().answered(robin, "STOP");
    day.line().answered(robin, DANGER);
    var incident = incident(robin);
    incidents().record(incident, EntryKind.ATTEMPT, "called Robin's mother", "Sam");
    day.line().bean(Participants.class).leave(robin.id(), false);
    await().until(() -> incidents().find(incident.id()).orElseThrow().participantId() == null);
    assertThat(incidents().find(incident.id()).orElseThrow())
        .extracting(Incident::status, Incident::outcome)
        .containsExactly(IncidentStatus.RELEASED, IncidentOutcome.ERASED);
    assertThat(incidents().entries(incident.id()))
        .allSatisfy(entry -> assertThat(entry.note()).isNull())
        .allSatisfy(entry -> assertThat(entry.textId()).isNull());
  }

  @Test
  void aDangerOfAnotherKindGetsItsOwnTextAtOnce() {
    var robin = robin();
    day.line().answered(robin, DANGER);
    day.line().answered(robin, "I just swallowed a whole bottle of pills");
    fixedTextArrives(robin, 2);
    assertThat(day.texts(robin, "crisis").getLast()).contains("may be an emergency");
    assertThat(incident(robin).kind().word()).isEqualTo("overdose_or_medical");
  }

  @Test
  void eachKindOfDangerGetsItsTextOnceHoweverTheyAlternate() {
    var robin = robin();
    for (int i = 0; i < 2; i++) {
      day.line().answered(robin, DANGER);
      day.line().answered(robin, "I just swallowed a whole bottle of pills");
    }
    fixedTextArrives(robin, 2);
    assertThat(entries(incident(robin))).filteredOn(EntryKind.SENT::equals).hasSize(2);
    day.at("22:30");
    day.line().answered(robin, DANGER);
    fixedTextArrives(robin, 3);
    assertThat(day.texts(robin, "crisis").getLast()).contains("Your message has arrived");
  }

  @Test
  void aSenderWithoutANumberHasOneIncident() {
    var sender = "somebody-" + Ids.next("x");
    for (var name : List.of(sender, sender, sender + "-else")) {
      day.line()
          .bean(Inbox.class)
          .accept(
              new IncomingText(
                  Ids.next("SM"), name, null, ChannelKind.SIMULATOR, DANGER, null, null));
    }
    assertThat(
            day.line()
                .rows(
                    "SELECT DISTINCT i.id, i.texts FROM incident i JOIN incident_entry e ON e.incident_id = i.id"
                        + " JOIN unclaimed_text u ON u.provider_id = e.text_id WHERE u.sender LIKE ?",
                    sender + "%"))
        .extracting(row -> String.valueOf(row.get("texts")))
        .containsExactlyInAnyOrder("2", "1");
  }

  @Test
  void anAcknowledgementCountsForAnHour() {
    var robin = robin();
    day.line().answered(robin, DANGER);
    incidents().acknowledge(incident(robin), "Sam");
    for (int i = 0; i < 2; i++) {
      day.line().study().advance(Duration.ofMinutes(29));
      day.line().answered(robin, DANGER);
      assertThat(incident(robin).status()).isEqualTo(IncidentStatus.ACKNOWLEDGED);
    }
    day.line().study().advance(Duration.ofMinutes(29));
    day.line().answered(robin, DANGER);
    assertThat(incident(robin).status()).isEqualTo(IncidentStatus.OPEN);
    assertThat(incident(robin).openSince()).isAfter(incident(robin).openedAt());
  }

  @Test
  void theTranscriptShowsTheTextBeforeItsFixedText() {
    var robin = robin();
    day.line().answered(robin, "hello");
    day.line().answered(robin, DANGER);
    fixedTextArrives(robin, 1);
    assertThat(
            day.line().bean(TranscriptReader.class).newest(robin.id(), Long.MAX_VALUE, 50).stream()
                .map(TranscriptReader.Message::content))
        .endsWith(DANGER, day.texts(robin, "crisis").getFirst());
  }

  @Test
  void aFaultWhileTheFixedTextIsPlannedKeepsNeitherTheTextNorTheIncident() {
    var robin = robin();
    day.line()
        .write(
            "ALTER TABLE message ADD CONSTRAINT fault CHECK (incident_id IS NULL OR role <> 'assistant' OR"
                + " participant_id <> '"
                + robin.id()
                + "')");
    try {
      assertThat(day.line().answered(robin, DANGER)).containsEntry("reason", PAUSED);
    } finally {
      day.line().write("ALTER TABLE message DROP CONSTRAINT fault");
    }
    assertThat(entries(incident(robin))).containsExactly(EntryKind.TEXT, EntryKind.NOT_SENT);
    day.line().answered(robin, DANGER);
    fixedTextArrives(robin, 1);
  }

  @Test
  void aFixedTextThatDoesNotArriveIsFollowedByAnother() {
    var robin = robin();
    day.line().answered(robin, DANGER);
    fixedTextArrives(robin, 1);
    var delivery =
        day.line()
            .column(
                "SELECT id FROM outbox WHERE participant_id = ? AND kind = 'crisis'", robin.id())
            .getFirst();
    day.line()
        .bean(CrisisDeliveries.class)
        .undelivered(
            new OutboundMessage(
                delivery,
                robin.id(),
                null,
                OutboundKind.CRISIS,
                robin.phone(),
                ChannelKind.SIMULATOR,
                ""),
            "a test");
    day.line().answered(robin, DANGER);
    fixedTextArrives(robin, 2);
  }

  @Test
  void aTextThatStaffMatchToAParticipantBringsItsIncident() {
    var sender = "somebody-" + Ids.next("x");
    day.line()
        .bean(Inbox.class)
        .accept(
            new IncomingText(
                Ids.next("SM"), sender, null, ChannelKind.SIMULATOR, DANGER, null, null));
    var seq =
        day.line()
            .column("SELECT CAST(seq AS varchar) FROM unclaimed_text WHERE sender = ?", sender)
            .getFirst();
    var robin = robin();
    day.line()
        .bean(Transactions.class)
        .write(() -> {
          day.line().bean(Unclaimed.class).claim(Long.parseLong(seq), robin);
        });
    await().until(() -> day.line().transcript(robin).getLast().equals("user: " + DANGER));
    assertThat(incident(robin).status()).isEqualTo(IncidentStatus.OPEN);
    assertThat(day.fake().asked()).isEmpty();
  }

  @Test
  void theTextFitsTheCountryOfTheNumberAndTheLanguageOfTheWords() {
    for (var expected :
        Map.of("+34600900124", "024", "+12025550143", "988", "+447700900124", "116 123")
            .entrySet()) {
      var number = new org.habitline.participants.PhoneNumber(expected.getKey());
      day.line()
          .bean(Inbox.class)
          .accept(new IncomingText(Ids.next("SM"), number, ChannelKind.SIMULATOR, DANGER));
      var stranger = day.line().bean(Participants.class).findWithContacts(number).orElseThrow();
      fixedTextArrives(stranger, 1);
      assertThat(day.texts(stranger, "crisis").getFirst()).contains(expected.getValue());
    }
    var robin = robin();
    day.line().answered(robin, "quiero suicidarme esta noche");
    await().until(() -> day.texts(robin, "crisis").size() == 1);
    assertThat(day.texts(robin, "crisis").getFirst()).startsWith("Este es un mensaje automático.");
  }
}
