package org.habitline.bench;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.habitline.SqlCounts;
import org.habitline.bench.Databases.Kind;
import org.habitline.participants.ChannelKind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Measures whether a turn costs the same when the database already holds a large study, on
 * PostgreSQL, and writes down the plan of every statement on the way of a text.
 */
@ExtendWith(Report.Handed.class)
final class LargeStudyBench {

  /** How many messages the study has; {@code -Dbench.messages=10000000} for a large one. */
  private static final int MESSAGES = Integer.getInteger("bench.messages", 300_000);

  private static final int CONVERSATIONS = 64;
  private static final int SIDE_BY_SIDE = 16;

  /** Enough turns to make every conversation longer than the history that a model is shown. */
  private static final int WARM_UP_TURNS = CONVERSATIONS * 32;

  private static final int TURNS = CONVERSATIONS * 8;
  private static final int ROUNDS = 7;

  /** Texts whose statements are explained. */
  private static final int EXPLAINED = 6;

  private static Databases databases;
  private static ModelProcess model;
  private static Map<String, Object> large;
  private static HikariDataSource database;

  @BeforeAll
  static void start() throws Exception {
    databases = Databases.start();
    model = ModelProcess.start();
    large = databases.fresh(Kind.POSTGRESQL);
    database = Databases.preparedPool(large);
    SeededStudy.fill(database, MESSAGES / SeededStudy.MESSAGES_EACH, SeededStudy.TURNS_EACH);
  }

  @AfterAll
  static void stop() throws IOException {
    database.close();
    model.close();
    databases.close();
  }

  @Test
  void aTurnInALargeStudy(Report report) throws Exception {
    Databases.tellVersion(database, report);
    report.version(
        "large study",
        "%,d messages, %.1f GB in PostgreSQL"
            .formatted(MESSAGES, SeededStudy.size(database) / 1e9));
    var empty = databases.fresh(Kind.POSTGRESQL);
    try (var ofLarge = Engine.start(large, model.baseUrl());
        var ofEmpty = Engine.start(empty, model.baseUrl())) {
      var inLarge = turns(ofLarge);
      var inEmpty = turns(ofEmpty);
      inLarge.apply(WARM_UP_TURNS).call();
      inEmpty.apply(WARM_UP_TURNS).call();
      var rounds = Rounds.alternate(ROUNDS, inLarge.apply(TURNS), inEmpty.apply(TURNS));
      var what =
          "turn with one tool call in a study of %,d messages; reference: in a new one"
              .formatted(MESSAGES);
      var setting = SIDE_BY_SIDE + " at a time";
      report.add(rounds.as(Cost::wall, what, setting, "ms", "≤ 1.1"));
      report.add(rounds.as(Cost::cpu, what, setting, "ms of CPU", "≤ 1.1"));
    }
  }

  private static IntFunction<Callable<Cost>> turns(Engine engine) {
    var people = engine.study().enrol(CONVERSATIONS, ChannelKind.SIMULATOR);
    people.forEach(engine::greet);
    var texts = new AtomicInteger();
    Cost.Turn turn =
        i -> {
          var number = texts.incrementAndGet();
          engine.answer(people.get(i), ModelProcess.ANCHOR + "cup number " + number, "SM" + number);
        };
    return howMany -> () -> Cost.of(turn, howMany, CONVERSATIONS, SIDE_BY_SIDE);
  }

  @Test
  void everyStatementOfATextHasAPlanThatReadsNoLargeTableWhole(Report report) throws Exception {
    var road = new TwilioRoad();
    var counts = new SqlCounts();
    try (var line = road.start(large, model, counts);
        var crowd = Crowd.of(1, line.getPort())) {
      var study = new Study(line.getApplicationContext());
      var person = study.enrol(1, road.channel());
      study.awaitRest();
      counts.forget();
      for (int i = 0; i < EXPLAINED; i++) {
        var _ = crowd.perSecond(List.of(road.text(person.getFirst(), i)), road.stored());
        study.awaitRest();
      }
      var statements = counts.statements();
      statements.removeAll(Study.ASKED);
      var plans = Plans.of(database, statements);
      report.version("plans of a text's statements", plans.written());
    }
  }
}
