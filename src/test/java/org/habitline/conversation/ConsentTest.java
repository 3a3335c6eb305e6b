package org.habitline.conversation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.habitline.RunningLine;
import org.habitline.conversation.calls.ToolCalls;
import org.habitline.conversation.takeover.Takeover;
import org.habitline.llm.ToolCall;
import org.habitline.llm.openai.Scripted;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.ConsentState;
import org.habitline.participants.Enrolment;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantChange;
import org.habitline.participants.ParticipantStatus;
import org.habitline.participants.Participants;
import org.habitline.safety.incidents.Incidents;
import org.habitline.timers.Sweeps;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Nothing goes to a model, and nothing is saved of anybody, before their yes. */
final class ConsentTest {

  private static final String TEXT = "An AI coach writes to you. Reply STOP to end the messages.";
  private static final String QUESTION = TEXT + "\n\nDo you agree to take part? Reply YES or NO.";
  private static final String AGE = "how old you are";

  private static RunningLine line;

  private static String study(String version) {
    return """
    consent:
      version: "%s"
      text: %s
    contact: {name: Ana Ruiz, phone: "+1 206 555 0100"}
    """
        .formatted(version, TEXT);
  }

  @BeforeAll
  static void start() {
    line = RunningLine.in(ConsentTest.class).study(study("1")).start();
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  @BeforeEach
  void forget() {
    line.fake().forget();
    line.fake().otherwise(asked -> Scripted.say("Welcome, I am glad you are here."));
  }

  private static Participant asked(RunningLine on) {
    var robin = on.enrol();
    on.awaitTurn(robin, 1);
    return robin;
  }

  private static Participant asked() {
    return asked(line);
  }

  /** Somebody who was asked for consent, and is old enough. */
  private static Participant adult() {
    var robin = asked();
    line.answered(robin, "I'm 34");
    return robin;
  }

  /** Somebody who consented and was greeted. */
  private static Participant consented() {
    var robin = adult();
    yes(robin);
    line.fake().forget();
    return robin;
  }

  private static void yes(Participant robin) {
    var next = line.turns(robin) + 1;
    line.text(robin, "Yes");
    line.awaitTurn(robin, next + 1);
  }

  /** Texts that one turn takes. */
  private static void together(Participant robin, String... texts) {
    line.awaitRest(robin);
    line.write(
        "UPDATE lease SET owner = 'another node', held_until = ? WHERE participant_id = ?",
        line.system().instant().plus(Duration.ofHours(1)).atOffset(ZoneOffset.UTC),
        robin.id());
    var next = line.turns(robin) + 1;
    for (var text : texts) {
      line.text(robin, text);
    }
    line.write(
        "UPDATE lease SET owner = NULL, held_until = NULL WHERE participant_id = ?", robin.id());
    line.bean(ConversationFlow.class).handle(robin.id());
    line.awaitTurn(robin, next);
  }

  private static ConsentState state(Participant robin) {
    return line.bean(Participants.class).find(robin.id()).orElseThrow().consent().state();
  }

  private static List<String> steps(Participant robin) {
    return line.column(
        "SELECT step FROM consent_event WHERE participant_id = ? ORDER BY seq", robin.id());
  }

  private static String last(Participant robin) {
    return line.phone(robin).getLast();
  }

  /** No model was asked, and there is no field of the participant. */
  private static void untouched(Participant robin) {
    assertThat(line.fake().asked()).isEmpty();
    assertThat(line.data(robin)).doesNotContainKey("userProfile");
    assertThat(line.rows("SELECT seq FROM profile_change WHERE participant_id = ?", robin.id()))
        .isEmpty();
  }

  @Test
  void theAgeComesFirstThenTheTextThenTheGreetingOfTheCoach() {
    var robin = asked();
    assertThat(line.phone(robin)).singleElement().asString().contains(AGE);
    line.answered(robin, "I'm 34 years old");
    assertThat(last(robin)).isEqualTo(QUESTION);
    assertThat(state(robin)).isEqualTo(ConsentState.ASKED);
    untouched(robin);

    yes(robin);
    assertThat(last(robin)).isEqualTo("Welcome, I am glad you are here.");
    assertThat(line.fake().asked()).hasSize(1);
    assertThat(line.fake().asked().getFirst().body().toString())
        .as("what came before the yes, the yes, and the questions")
        .doesNotContain("34 years", "\"Yes\"", TEXT, AGE);
    assertThat(state(robin)).isEqualTo(ConsentState.GIVEN);
    assertThat(steps(robin)).containsExactly("age_asked", "old_enough", "asked", "yes");
    var yes =
        line.rows(
                "SELECT e.version, e.words, e.at, m.content FROM consent_event e"
                    + " JOIN message m ON m.id = e.message_id"
                    + " WHERE e.participant_id = ? AND e.step = 'yes'",
                robin.id())
            .getFirst();
    assertThat(yes)
        .containsEntry("version", "1")
        .containsEntry("words", "Yes")
        .containsEntry("content", "Yes");
    assertThat(yes.get("at")).isNotNull();

    line.answered(robin, "hello again");
    assertThat(line.fake().asked()).hasSize(2);
    assertThat(last(robin)).isEqualTo("Welcome, I am glad you are here.");
  }

  @Test
  void aYesWithMoreIsGreetedAndTheCoachSeesOnlyWhatCameAfterIt() {
    var robin = adult();
    var turns = line.turns(robin);
    together(robin, "yes", "can we start with tea?");
    line.awaitTurn(robin, turns + 2);
    await()
        .until(() -> line.fake().asked().getLast().body().toString().contains("start with tea?"));
    assertThat(line.fake().asked()).noneMatch(it -> it.body().toString().contains("I'm 34"));
    assertThat(state(robin)).isEqualTo(ConsentState.GIVEN);
  }

  @Test
  void whoConsentsToANewVersionIsHeardFromTheYesOn() {
    var robin = consented();
    line.write("UPDATE participant SET consent_version = '0' WHERE id = ?", robin.id());
    line.answered(robin, "good morning");
    assertThat(last(robin)).isEqualTo(QUESTION);
    together(robin, "my sister was in hospital", "yes", "so what now?");
    assertThat(line.fake().asked())
        .anyMatch(it -> it.body().toString().contains("so what now?"))
        .noneMatch(it -> it.body().toString().contains("sister"))
        .noneMatch(it -> it.body().toString().contains("good morning"));
    assertThat(state(robin)).isEqualTo(ConsentState.GIVEN);
  }

  @Test
  void aMinorWhoSaysSoWhileANewVersionIsDueIsTooYoung() {
    var robin = adult();
    line.write("UPDATE participant SET consent_version = '0' WHERE id = ?", robin.id());
    line.answered(robin, "i'm 15");
    assertThat(state(robin)).isEqualTo(ConsentState.NOT_ELIGIBLE);
    untouched(robin);

    var sam = consented();
    line.write("UPDATE participant SET consent_version = '0' WHERE id = ?", sam.id());
    line.answered(sam, "i'm 15");
    assertThat(line.bean(Incidents.class).crisis(sam.id()).orElseThrow().kind().word())
        .isEqualTo("underage");
    assertThat(line.fake().asked()).isEmpty();
  }

  @Test
  void aQuestionThatNeverArrivedIsPutAgainAndAnswersNothing() {
    var robin = adult();
    line.write(
        "UPDATE outbox SET status = 'failed' WHERE participant_id = ? AND kind = 'consent'",
        robin.id());
    var before = line.phone(robin).size();
    line.answered(robin, "yes");
    assertThat(state(robin)).isEqualTo(ConsentState.ASKED);
    assertThat(line.phone(robin)).hasSize(before + 1).last().isEqualTo(QUESTION);
    yes(robin);
    assertThat(state(robin)).isEqualTo(ConsentState.GIVEN);
  }

  @Test
  void aQuestionThatWaitsIsAnsweredByNothingButAnAgeThatIsTooLow() {
    var robin = adult();
    var question =
        line.column(
                "SELECT id FROM outbox WHERE participant_id = ? AND kind = 'consent' ORDER BY seq DESC",
                robin.id())
            .getFirst();
    line.write("UPDATE outbox SET status = 'planned' WHERE id = ?", question);
    var before = line.phone(robin).size();
    line.answered(robin, "yes");
    assertThat(state(robin)).isEqualTo(ConsentState.ASKED);
    assertThat(line.phone(robin)).hasSize(before);
    line.answered(robin, "I'm 15");
    assertThat(state(robin)).isEqualTo(ConsentState.NOT_ELIGIBLE);
    untouched(robin);
  }

  @Test
  void whoCorrectsTheirAgeInTheNextTextIsTooYoung() {
    var robin = asked();
    together(robin, "25", "16");
    assertThat(state(robin)).isEqualTo(ConsentState.NOT_ELIGIBLE);
    untouched(robin);
  }

  @Test
  void aNoIsThankedForAndNothingFollowsUntilTheyAskAgain() {
    var robin = adult();
    line.answered(robin, "no thanks");
    assertThat(state(robin)).isEqualTo(ConsentState.DECLINED);
    assertThat(last(robin)).startsWith("Thank you for telling us.");
    var before = line.phone(robin).size();
    line.answered(robin, "hello?");
    line.answered(robin, "what now");
    assertThat(line.phone(robin)).hasSize(before);
    line.answered(robin, "HELP");
    assertThat(last(robin)).endsWith("Ana Ruiz: +1 206 555 0100");
    line.answered(robin, "start");
    assertThat(last(robin)).isEqualTo(QUESTION);
    untouched(robin);
    yes(robin);
    assertThat(state(robin)).isEqualTo(ConsentState.GIVEN);
  }

  @Test
  void whoeverIsTooYoungIsThankedAndTheirAgeIsNotKeptBesideTheTranscript() {
    for (var words : List.of("15", "tengo 15 años", "I'm in 8th grade")) {
      var robin = asked();
      line.answered(robin, words);
      assertThat(state(robin)).isEqualTo(ConsentState.NOT_ELIGIBLE);
      assertThat(last(robin)).contains("minimum age");
      assertThat(
              line.rows(
                  "SELECT words FROM consent_event WHERE participant_id = ? AND words IS NOT NULL",
                  robin.id()))
          .isEmpty();
      assertThat(line.bean(Incidents.class).crisis(robin.id())).isEmpty();
      var before = line.phone(robin).size();
      line.answered(robin, "yes");
      assertThat(line.phone(robin)).hasSize(before);
      untouched(robin);
    }
  }

  @Test
  void unclearAnswersAreAskedAgainTwiceAndThenLeftToStaff() {
    var robin = asked();
    line.answered(robin, "why do you ask?");
    assertThat(last(robin)).contains("could not read an age");
    line.answered(robin, "old enough");
    assertThat(line.answered(robin, "you guess")).containsEntry("held_by_staff", true);
    assertThat(state(robin)).isEqualTo(ConsentState.LEFT_TO_STAFF);
    var before = line.phone(robin).size();
    assertThat(line.answered(robin, "34")).containsEntry("held_by_staff", true);
    assertThat(line.phone(robin)).hasSize(before);
    untouched(robin);

    var sam = adult();
    line.answered(sam, "yes or no, who knows");
    assertThat(line.phone(sam).getLast()).isEqualTo(QUESTION);
    yes(sam);
    assertThat(state(sam)).isEqualTo(ConsentState.GIVEN);
  }

  @Test
  void staffRecordConsentThatTheyObtainedThemselves() {
    var robin = adult();
    line.bean(Participants.class).update(robin.id(), ParticipantChange.ofConsent("1"));
    assertThat(state(robin)).isEqualTo(ConsentState.ELSEWHERE);
    assertThat(steps(robin)).endsWith("elsewhere");
    await().until(() -> last(robin).equals("Welcome, I am glad you are here."));
    assertThat(line.fake().asked()).as("the greeting").hasSize(1);
    line.answered(robin, "hello");
    assertThat(line.fake().asked()).hasSize(2);
  }

  @Test
  void consentToThisVersionFromElsewhereIsEnoughAndToAnotherIsNot() {
    assertThat(enrolled("1").consent().state()).isEqualTo(ConsentState.ELSEWHERE);
    await().until(() -> line.fake().asked().size() == 1);
    line.fake().forget();
    var robin = enrolled("0");
    line.awaitTurn(robin, 1);
    assertThat(line.phone(robin)).singleElement().asString().contains(AGE);
    untouched(robin);
  }

  private static Participant enrolled(String version) {
    return line.bean(Participants.class)
        .enrol(
            Enrolment.of(
                    line.strangersNumber(),
                    ZoneId.of("Europe/Berlin"),
                    "habit",
                    ChannelKind.SIMULATOR)
                .withName("Robin")
                .withConsent(version));
  }

  @Test
  void stopBeforeConsentStopsTheQuestionsAndStartBringsThemBack() {
    var robin = asked();
    line.answered(robin, "STOP");
    var before = line.phone(robin).size();
    line.answered(robin, "34");
    assertThat(line.phone(robin)).hasSize(before);
    line.answered(robin, "START");
    assertThat(last(robin)).contains(AGE);
    line.answered(robin, "34");
    assertThat(last(robin)).isEqualTo(QUESTION);
    untouched(robin);
  }

  @Test
  void aCrisisBeforeConsentOpensAnIncidentAndGetsItsText() {
    var robin = asked();
    line.answered(robin, "I want to kill myself tonight");
    assertThat(line.bean(Incidents.class).crisis(robin.id())).isPresent();
    await()
        .until(() -> line.phone(robin).getLast().startsWith("This is an automated message. What"));
    line.answered(robin, "34");
    assertThat(state(robin)).isEqualTo(ConsentState.AGE_ASKED);
    untouched(robin);
  }

  @Test
  void whoeverIsPausedIsToldSoAndAskedLater() {
    var robin = asked();
    becomes(robin, ParticipantStatus.PAUSED);
    line.answered(robin, "34");
    assertThat(state(robin)).isEqualTo(ConsentState.AGE_ASKED);
    becomes(robin, ParticipantStatus.ACTIVE);
    line.answered(robin, "34");
    assertThat(last(robin)).isEqualTo(QUESTION);
    untouched(robin);
  }

  private static void becomes(Participant robin, ParticipantStatus status) {
    line.bean(Participants.class).update(robin.id(), ParticipantChange.ofStatus(status));
  }

  @Test
  void aYesDuringATakeoverIsNoConsentAndTheQuestionComesBackAfterIt() {
    var robin = adult();
    line.bean(Takeover.class).mute(robin.id(), Duration.ofMinutes(30), "Sam");
    assertThat(line.answered(robin, "yes")).containsEntry("held_by_staff", true);
    assertThat(state(robin)).isEqualTo(ConsentState.ASKED);
    var turns = line.turns(robin);
    line.bean(Takeover.class).handBack(robin.id());
    line.bean(Sweeps.class).sweep();
    line.awaitTurn(robin, turns + 1);
    assertThat(last(robin)).isEqualTo(QUESTION);
    untouched(robin);
  }

  @Test
  void toolsFromOutsideDoNothingWithoutConsent() {
    var robin = adult();
    assertThat(
            line.bean(ToolCalls.class)
                .call(
                    new ToolCalls.Caller("a script", "researcher"),
                    robin.id(),
                    new ToolCall("call_1", "add_task", "{}")))
        .isInstanceOf(ToolCalls.Called.NoConsent.class);
    untouched(robin);
  }

  @Test
  void aMinorWhoSaysSoLaterIsCoachedNoMoreAndNobodyIsAlerted() {
    var robin = consented();
    line.answered(robin, "my son is 15 and I ran for 15 minutes");
    assertThat(line.fake().asked()).hasSize(1);
    line.answered(robin, "actually I'm 15");
    assertThat(line.fake().asked()).hasSize(1);
    var incident = line.bean(Incidents.class).crisis(robin.id()).orElseThrow();
    assertThat(incident.kind().word()).isEqualTo("underage");
    await().until(() -> line.phone(robin).getLast().contains("This study has a minimum age"));
    line.answered(robin, "hello?");
    assertThat(line.fake().asked()).hasSize(1);

    line.bean(Incidents.class).acknowledge(incident, "Sam");
    line.answered(robin, "I want to kill myself tonight");
    assertThat(line.bean(Incidents.class).find(incident.id()).orElseThrow())
        .as("whoever acknowledged the age was not alerted of the danger")
        .satisfies(it -> assertThat(it.kind().word()).isEqualTo("suicide_or_self_harm"))
        .satisfies(it -> assertThat(it.status().word()).isEqualTo("open"));
  }

  /** Runs a process of its own in a fresh home, then another one in the same home. */
  private static void twice(
      UnaryOperator<Participant> first, String nextStudy, Consumer<Participant> then) {
    var own = line;
    try {
      line = RunningLine.in(ConsentTest.class).study(study("1")).start();
      line.fake().otherwise(asked -> Scripted.say("Welcome, I am glad you are here."));
      var before = line;
      try {
        var robin = first.apply(line.enrol());
        before.stop();
        line = before.second().study(nextStudy).start();
        then.accept(robin);
        line.stop();
      } finally {
        before.fake().close();
      }
    } finally {
      line = own;
    }
  }

  @Test
  void aRestartAsksNothingTwiceAndLosesNoAnswer() {
    twice(
        robin -> {
          line.awaitTurn(robin, 1);
          line.answered(robin, "34");
          return robin;
        },
        study("1"),
        robin -> {
          assertThat(line.phone(robin)).hasSize(2);
          untouched(robin);
          yes(robin);
          assertThat(state(robin)).isEqualTo(ConsentState.GIVEN);
          assertThat(line.fake().asked()).hasSize(1);
        });
  }

  @Test
  void anEditedVersionIsAskedForAndUntilThenNobodyIsCoached() {
    twice(
        robin -> {
          line.awaitTurn(robin, 1);
          line.answered(robin, "34");
          yes(robin);
          line.fake().forget();
          return robin;
        },
        study("2"),
        robin -> {
          line.answered(robin, "good morning");
          assertThat(last(robin)).as("the age is known to suffice").isEqualTo(QUESTION);
          assertThat(line.fake().asked()).isEmpty();
          line.answered(robin, "yes");
          assertThat(last(robin)).isEqualTo("Thank you. Your answer is recorded.");
          assertThat(line.fake().asked()).isEmpty();
          assertThat(steps(robin)).endsWith("asked", "yes");
          line.answered(robin, "and now?");
          assertThat(line.fake().asked()).hasSize(1);
        });
  }
}
