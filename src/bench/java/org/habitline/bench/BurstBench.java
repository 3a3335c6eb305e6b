package org.habitline.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.habitline.bench.Databases.Kind;
import org.habitline.bench.langchain4j.ReferenceCoach;
import org.habitline.messaging.twilio.FakeTwilio;
import org.habitline.messaging.twilio.FormFields;
import org.habitline.participants.Participant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Measures how soon a group is answered whose members text at the same moment, compared with two
 * loops that answer one text after the other: Habitline itself, with the same reads and writes, and
 * LangChain4j.
 */
@ExtendWith(Report.Handed.class)
final class BurstBench {

  private static final int PEOPLE = 40;

  /** Enough bursts to let the JVM compile what they use. */
  private static final int COLD = 60;

  /** Bursts before the second measurement, in the same JVM. */
  private static final int WARM = 6;

  private static final int ROUNDS = 7;
  private static final Duration AT_MOST = Duration.ofMinutes(2);
  private static final Duration LOOKED_EVERY = Duration.ofNanos(200_000);
  private static final TwilioRoad ROAD = new TwilioRoad();
  private static final String ALL = PEOPLE + " text at once, until all are answered; reference: ";
  private static final String GOAL = "≤ 0.5";

  private static Databases databases;

  private int texts;

  @BeforeAll
  static void start() {
    databases = Databases.start();
  }

  @AfterAll
  static void stop() throws IOException {
    databases.close();
  }

  /**
   * What was measured of a group.
   *
   * @param all milliseconds until the provider has the last reply
   * @param first milliseconds from the first committed reply until the provider has a reply
   */
  private record Burst(double all, double first) {}

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aGroupTextsAtTheSameMoment(Kind kind, Report report) throws Exception {
    for (var thinking : List.of(Duration.ZERO, Duration.ofMillis(50))) {
      try (var model = ModelProcess.start(thinking);
          var line = ROAD.start(databases.fresh(kind), model);
          var crowd = Crowd.of(PEOPLE, line.getPort());
          var http = HttpClient.newHttpClient();
          var coach = ReferenceCoach.with(databases.freshPool(kind), model.baseUrl(), prompt())) {
        var study = new Study(line.getApplicationContext());
        study.tellVersion(report);
        var people = study.enrol(PEOPLE, ROAD.channel());
        coach.open(people.stream().map(Participant::id).toList());
        Callable<Burst> ofLine = () -> answered(study, crowd, people);
        Callable<Burst> ofLoop = () -> oneByOne(coach, http, people);
        Callable<Burst> ofLineInTurn = () -> inTurn(study, crowd, people);
        Rounds.alternate(thinking.isZero() ? COLD : WARM, ofLine, ofLoop);
        var rounds = Rounds.alternate(ROUNDS, ofLine, ofLoop);
        var setting = kind + ", the model takes " + thinking.toMillis() + " ms";
        report.add(
            Rounds.alternate(ROUNDS, ofLine, ofLineInTurn)
                .as(Burst::all, ALL + "the same texts, one after the other", setting, "ms", GOAL));
        report.add(
            rounds.as(Burst::all, ALL + "LangChain4j, one after the other", setting, "ms", GOAL));
        report.add(
            rounds.as(
                Burst::first,
                "from the first reply's commit until it is sent; reference: 100 ms",
                setting,
                "ms",
                "≤ 1.0"));
      }
    }
  }

  private Burst answered(Study study, Crowd crowd, List<Participant> people) throws Exception {
    study.awaitRest();
    ROAD.forget();
    var burst = new ArrayList<Post>();
    for (var person : people) {
      burst.add(ROAD.text(person, texts++));
    }
    var began = Instant.now();
    var _ = crowd.perSecond(burst, ROAD.stored());
    Awaitility.await("all replies are handed over")
        .atMost(AT_MOST)
        .pollInterval(Duration.ofMillis(5))
        .until(() -> ROAD.replies().size() >= PEOPLE);
    var replies = ROAD.replies().stream().map(FakeTwilio.Posted::at).sorted().toList();
    study.awaitRest();
    return new Burst(
        millis(began, replies.get(PEOPLE - 1)),
        millis(study.firstPlanned(began), replies.getFirst()));
  }

  /** Sends Habitline each text when the provider has the reply to the one before. */
  private Burst inTurn(Study study, Crowd crowd, List<Participant> people) throws Exception {
    study.awaitRest();
    ROAD.forget();
    var began = Instant.now();
    for (int i = 0; i < PEOPLE; i++) {
      crowd.send(ROAD.text(people.get(i), texts++), ROAD.stored());
      var replies = i + 1;
      Awaitility.await("the reply is handed over")
          .atMost(AT_MOST)
          .pollInterval(LOOKED_EVERY)
          .pollDelay(Duration.ZERO)
          .until(() -> ROAD.replies().size() >= replies);
    }
    var last = ROAD.replies().stream().map(FakeTwilio.Posted::at).max(Instant::compareTo);
    study.awaitRest();
    return new Burst(millis(began, last.orElseThrow()), 100);
  }

  /** Answers one text after the other, and hands each reply over before the next text. */
  private Burst oneByOne(ReferenceCoach coach, HttpClient http, List<Participant> people)
      throws Exception {
    var began = Instant.now();
    for (var person : people) {
      var reply = coach.answer(person.id(), "This is text number " + texts++ + ".");
      var form =
          FormFields.of("From", TwilioRoad.NUMBER, "To", person.phone().e164(), "Body", reply);
      var sent =
          http.send(
              HttpRequest.newBuilder(
                      URI.create(
                          ROAD.apiUrl()
                              + "/2010-04-01/Accounts/"
                              + FakeTwilio.ACCOUNT_SID
                              + "/Messages.json"))
                  .header("Content-Type", "application/x-www-form-urlencoded")
                  .header("Authorization", "Basic " + credentials())
                  .POST(BodyPublishers.ofString(form.encoded()))
                  .build(),
              BodyHandlers.ofString());
      if (sent.statusCode() != 201) {
        throw new IllegalStateException("A reply was refused with status " + sent.statusCode());
      }
    }
    return new Burst(millis(began, Instant.now()), 100);
  }

  private static String credentials() {
    return Base64.getEncoder()
        .encodeToString(
            (FakeTwilio.ACCOUNT_SID + ":" + FakeTwilio.AUTH_TOKEN)
                .getBytes(StandardCharsets.UTF_8));
  }

  private static double millis(Instant from, Instant to) {
    return Duration.between(from, to).toNanos() / 1e6;
  }

  /** Returns Habitline's prompt for the intake, without its placeholders. */
  private static String prompt() throws IOException {
    return Files.readString(Path.of("prompts", "intake_bot_system.txt"))
        .replaceAll("\\{\\{.*?}}", "");
  }
}
