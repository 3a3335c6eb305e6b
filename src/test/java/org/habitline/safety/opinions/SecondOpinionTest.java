package org.habitline.safety.opinions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.habitline.conversation.wakeups.PromptDay;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.StrictFakeServer.Asked;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.safety.alerts.Alerting;
import org.habitline.safety.incidents.EntryKind;
import org.habitline.safety.incidents.Incident;
import org.habitline.safety.incidents.IncidentEntry;
import org.habitline.safety.incidents.Incidents;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A model says beside the coach whether the rules missed a danger; it can only raise the alarm. */
final class SecondOpinionTest {

  private static final String PAUSED = "coaching is paused until the safety incident is released";
  private static final String TEXT = "soon I will not be a weight on anyone";
  private static final String REPLY = "Shall we plan your week?";

  private static PromptDay day;

  /** What the second model answers. */
  private static final AtomicReference<Scripted> OPINION = new AtomicReference<>();

  private static final AtomicReference<Scripted> COACH = new AtomicReference<>();

  @BeforeAll
  static void start() {
    day =
        PromptDay.of(
            SecondOpinionTest.class,
            setup ->
                setup.study(
                    """
                    safety:
                      time_zone: UTC
                      email: {host: 127.0.0.1, port: 9, security: none, from: line@example.org}
                      rota:
                        - nurse: {email: nurse@example.org}
                      second_opinion: {by: model, model: judge-model, timeout: 2}
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
    OPINION.set(judged("none", "none"));
    COACH.set(Scripted.say(REPLY));
    day.fake().otherwise(asked -> isOpinion(asked) ? OPINION.get() : COACH.get());
  }

  private static boolean isOpinion(Asked asked) {
    return asked.body().path("model").asText().equals("judge-model");
  }

  private static Scripted judged(String level, String kind) {
    return Scripted.call(
        "judge", "{\"level\":\"%s\",\"kind\":\"%s\",\"language\":\"en\"}".formatted(level, kind));
  }

  private static Participant robin() {
    return day.greeted(ChannelKind.SIMULATOR);
  }

  private static List<Asked> asked(boolean opinions) {
    return day.fake().asked().stream().filter(it -> isOpinion(it) == opinions).toList();
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

  private static Map<String, Object> recorded(Participant robin) {
    return day.line()
        .rows("SELECT * FROM second_opinion WHERE participant_id = ?", robin.id())
        .getLast();
  }

  @Test
  void aCrisisThatTheRulesMissedKeepsTheReplyBackAndOpensAnIncident() {
    var robin = robin();
    OPINION.set(judged("crisis", "suicide_or_self_harm"));
    assertThat(day.line().answered(robin, TEXT))
        .containsEntry("outcome", "not_for_the_coach")
        .containsEntry("reason", PAUSED);
    assertThat(day.texts(robin, "reply")).as("the greeting alone").hasSize(1);
    await().until(() -> day.texts(robin, "crisis").size() == 1);
    var fixed = day.texts(robin, "crisis").getFirst();
    assertThat(fixed).startsWith("This is an automated message. What you wrote sounds very hard");
    var incident = incidents(robin).getFirst();
    assertThat(incident)
        .extracting(it -> it.level().word(), it -> it.kind().word(), Incident::rule)
        .containsExactly("crisis", "suicide_or_self_harm", "en/second-opinion");
    assertThat(entries(incident)).containsExactly(EntryKind.OPINION, EntryKind.SENT);
    assertThat(day.line().rows("SELECT * FROM message WHERE incident_id = ?", incident.id()))
        .extracting(row -> row.get("content"))
        .containsExactlyInAnyOrder(TEXT, fixed);
    await()
        .until(() ->
            !day.line()
                .rows("SELECT id FROM alert WHERE incident_id = ?", incident.id())
                .isEmpty());
    assertThat(recorded(robin))
        .containsEntry("status", "given")
        .containsEntry("level", "crisis")
        .containsEntry("source", "model")
        .containsEntry("model", "fake-model-2026-01-01")
        .containsEntry("prompt_tokens", 100L);
    var request = asked(true).getLast();
    assertThat(request.lastUserText()).contains("\"participant\":[\"" + TEXT + "\"]");
    assertThat(request.texts("system").getFirst()).startsWith("You read messages");

    var before = day.fake().asked().size();
    assertThat(day.line().answered(robin, "hello?")).containsEntry("reason", PAUSED);
    assertThat(day.fake().asked()).hasSize(before);
  }

  @Test
  void aConcernOpensAnIncidentAndTheCoachGoesOn() {
    var robin = robin();
    OPINION.set(judged("concern", "abuse"));
    assertThat(day.line().answered(robin, "we had a long talk at dinner"))
        .containsEntry("outcome", "replied");
    assertThat(day.texts(robin, "reply")).as("the greeting and the reply").hasSize(2);
    var incident = incidents(robin).getFirst();
    assertThat(incident)
        .extracting(it -> it.level().word(), it -> it.kind().word(), Incident::urgent)
        .containsExactly("concern", "abuse", false);
    assertThat(entries(incident)).containsExactly(EntryKind.OPINION, EntryKind.SENT);
    assertThat(day.line().answered(robin, "let us go on")).containsEntry("outcome", "replied");
  }

  @Test
  void whatTheRulesFoundIsNeverLowered() {
    var robin = robin();
    day.line().answered(robin, "I feel so hopeless");
    assertThat(incidents(robin)).extracting(it -> it.level().word()).containsExactly("concern");
    assertThat(recorded(robin)).containsEntry("level", "none");

    OPINION.set(judged("concern", "suicide_or_self_harm"));
    day.line().answered(robin, "I feel so hopeless");
    assertThat(entries(incidents(robin).getFirst()))
        .as("the rules said the same of each text")
        .doesNotContain(EntryKind.OPINION);
  }

  @Test
  void noneChangesNothingAndKeywordsAreNotJudged() {
    var robin = robin();
    assertThat(day.line().answered(robin, "I walked today")).containsEntry("outcome", "replied");
    assertThat(incidents(robin)).isEmpty();
    assertThat(recorded(robin)).containsEntry("status", "given").containsEntry("level", "none");
    var before = asked(true).size();
    day.line().answered(robin, "HELP");
    assertThat(asked(true)).hasSize(before);
  }

  @Test
  void withoutAnOpinionInTimeOrOneThatCanBeReadTheRulesAloneDecide() {
    var never = new CountDownLatch(1);
    var failures =
        Map.of(
            "too_slow", judged("crisis", "abuse").heldBy(never),
            "failed", Scripted.status(401),
            "unreadable", Scripted.say("I think that they are fine."));
    failures.forEach((status, answer) -> {
      var robin = robin();
      OPINION.set(answer);
      assertThat(day.line().answered(robin, TEXT)).as(status).containsEntry("outcome", "replied");
      assertThat(day.texts(robin, "reply")).as(status).hasSize(2);
      assertThat(recorded(robin)).containsEntry("status", status).containsEntry("level", "none");
      assertThat(incidents(robin)).as(status).isEmpty();
    });
    never.countDown();
  }

  @Test
  void healthSaysThatNoneOfTheLastCame() {
    var opinions = day.line().bean(SecondOpinions.class);
    var robin = robin();
    for (int turn = 101; turn <= 110; turn++) {
      day.line()
          .write(
              "INSERT INTO second_opinion (participant_id, turn, source, status, level, model,"
                  + " prompt_tokens, completion_tokens, latency_millis, recorded_at)"
                  + " VALUES (?, ?, 'model', 'failed', 'none', 'm', 0, 0, 0, ?)",
              robin.id(),
              turn,
              day.line().study().instant().plusSeconds(turn).atOffset(java.time.ZoneOffset.UTC));
    }
    assertThat(opinions.warnings()).singleElement().asString().contains("the crisis rules alone");
    day.line().write("DELETE FROM second_opinion WHERE participant_id = ?", robin.id());
    day.line().answered(robin, "I walked today");
    assertThat(opinions.warnings()).isEmpty();
  }

  @Test
  void aTurnThatIsResumedAfterTheOpinionAsksNobodyAgainAndStillRaisesTheAlarm() {
    var robin = robin();
    var held = new CountDownLatch(1);
    COACH.set(Scripted.say(REPLY).heldBy(held));
    var next = day.line().turns(robin) + 1;
    day.line().text(robin, TEXT);
    await().until(() -> asked(false).size() == 1 && asked(true).size() == 1);
    // As after a kill: the opinion is on disk, and the process that waits for the coach is gone.
    day.line()
        .write(
            "INSERT INTO second_opinion (participant_id, turn, source, status, level, kind, model,"
                + " prompt_tokens, completion_tokens, latency_millis, recorded_at)"
                + " VALUES (?, ?, 'model', 'given', 'crisis', 'abuse', 'm', 0, 0, 0, ?)",
            robin.id(),
            next,
            day.line().study().instant().atOffset(java.time.ZoneOffset.UTC));
    day.line()
        .write(
            "UPDATE lease SET owner = NULL, held_until = NULL, token = token + 1"
                + " WHERE participant_id = ?",
            robin.id());
    held.countDown();
    day.line().text(robin, "hello?");
    assertThat(day.line().awaitTurn(robin, next)).containsEntry("reason", PAUSED);
    assertThat(asked(true)).as("nobody was asked again").hasSize(1);
    assertThat(day.texts(robin, "reply")).as("the greeting alone").hasSize(1);
    assertThat(incidents(robin).getFirst().kind().word()).isEqualTo("abuse");
    await().until(() -> day.texts(robin, "crisis").size() == 1);
  }

  private static List<String> deltas(Participant robin) {
    return day.line()
        .column(
            "SELECT payload FROM event WHERE participant_id = ? AND type = 'message.delta'"
                + " AND payload LIKE '%plan%'",
            robin.id());
  }

  @Test
  void nobodyHearsTheCoachBeforeTheOpinionIsThere() {
    for (var level : List.of("crisis", "none")) {
      var robin = day.line().watched(() -> day.line().enrol(ChannelKind.SIMULATOR));
      var opinion = new CountDownLatch(1);
      OPINION.set(judged(level, "suicide_or_self_harm").heldBy(opinion));
      COACH.set(Scripted.say(REPLY).paced(Duration.ofMillis(2)));
      var next = day.line().turns(robin) + 1;
      day.line().text(robin, TEXT);
      // The coach's answer is complete as soon as only the opinion is awaited.
      await().until(() -> asked(false).size() == 1 && day.fake().pending() == 1);
      assertThat(deltas(robin)).isEmpty();
      opinion.countDown();
      day.line().awaitTurn(robin, next);
      assertThat(deltas(robin)).hasSize(level.equals("crisis") ? 0 : 1);
    }
  }
}
