package org.habitline.bench;

import io.micronaut.runtime.server.EmbeddedServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.habitline.bench.Databases.Kind;
import org.habitline.bench.bare.BareServer;
import org.habitline.messaging.MessagingLifecycle;
import org.habitline.participants.Participant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Measures how many texts per second Habitline accepts, compared with an endpoint that only stores
 * a row.
 */
@ExtendWith(Report.Handed.class)
final class AcknowledgementBench {

  /** The way in which texts reach Habitline. */
  private static final Road ROAD = new TwilioRoad();

  private static final int CALLERS = 64;

  private static Databases databases;
  private static ModelProcess model;

  private int texts;

  @BeforeAll
  static void start() {
    databases = Databases.start();
    model = ModelProcess.start();
  }

  @AfterAll
  static void stop() throws IOException {
    model.close();
    databases.close();
  }

  /**
   * What Habitline does besides accepting texts.
   *
   * @param words its wording in the table
   * @param people how many participants text
   * @param texts number of texts in one round
   */
  private record Meanwhile(
      String words, boolean answers, int people, int texts, int warmUp, int rounds, String goal) {}

  private static final List<Meanwhile> MEANWHILE =
      List.of(
          new Meanwhile("the line only takes in", false, 2_000, 8_000, 3, 5, "≥ 1.0"),
          new Meanwhile("the line answers at the same time", true, 500, 500, 1, 3, "≥ 0.5"));

  @ParameterizedTest
  @EnumSource(Kind.class)
  void textsAcknowledgedInASecond(Kind kind, Report report) throws Exception {
    for (var meanwhile : MEANWHILE) {
      try (var bare = BareServer.start(databases.fresh(kind));
          var line = line(kind, meanwhile);
          var toBare = Crowd.of(CALLERS, bare.getPort());
          var toLine = Crowd.of(CALLERS, line.getPort())) {
        var study = new Study(line.getApplicationContext());
        study.tellVersion(report);
        var people = study.enrol(meanwhile.people(), ROAD.channel());
        Callable<Double> ofLine =
            () -> {
              rest(study, meanwhile);
              return toLine.perSecond(round(people, meanwhile.texts()), ROAD.stored());
            };
        Callable<Double> ofBare =
            () -> {
              rest(study, meanwhile);
              var round = round(people, meanwhile.texts());
              return toBare.perSecond(
                  round.stream().map(post -> post.at(BareServer.PATH)).toList(), 200);
            };
        Rounds.alternate(meanwhile.warmUp(), ofLine, ofBare);
        report.add(
            Rounds.alternate(meanwhile.rounds(), ofLine, ofBare)
                .as(
                    Double::doubleValue,
                    "texts acknowledged",
                    kind + ", " + CALLERS + " callers; " + meanwhile.words(),
                    "per second",
                    meanwhile.goal()));
      }
    }
  }

  private static EmbeddedServer line(Kind kind, Meanwhile meanwhile) {
    var server = ROAD.start(databases.fresh(kind), model);
    if (!meanwhile.answers()) {
      server.getApplicationContext().getBean(MessagingLifecycle.class).stop();
    }
    return server;
  }

  private static void rest(Study study, Meanwhile meanwhile) {
    if (meanwhile.answers()) {
      study.awaitRest();
    }
  }

  /** Returns the texts of one round, from all participants in turn. */
  private List<Post> round(List<Participant> people, int size) {
    var round = new ArrayList<Post>();
    for (int i = 0; i < size; i++) {
      round.add(ROAD.text(people.get(texts % people.size()), texts++));
    }
    return round;
  }
}
