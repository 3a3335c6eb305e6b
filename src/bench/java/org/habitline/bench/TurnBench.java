package org.habitline.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.habitline.bench.Databases.Kind;
import org.habitline.bench.langchain4j.ReferenceCoach;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Measures the cost of a turn with one tool call, apart from the model, which replies at once.
 * Habitline writes its journal and one transaction; LangChain4j, the reference, writes a chat
 * memory.
 */
@ExtendWith(Report.Handed.class)
final class TurnBench {

  private static final String WHAT = "turn with one tool call";
  private static final String GOAL = "≤ 1.0";
  private static final int CONVERSATIONS = 64;
  private static final int SIDE_BY_SIDE = 16;

  /**
   * Enough turns to make every conversation longer than the history that a model is shown, and to
   * let the JVM compile what they use.
   */
  private static final int WARM_UP_TURNS = CONVERSATIONS * 96;

  private static final int TURNS_ALONE = CONVERSATIONS * 2;
  private static final int TURNS_SIDE_BY_SIDE = CONVERSATIONS * 16;
  private static final int ROUNDS = 7;

  private static Databases databases;
  private static ModelProcess model;

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

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aTurnWithOneToolCall(Kind kind, Report report) throws Exception {
    try (var engine = Engine.start(databases.fresh(kind), model.baseUrl());
        var coach = coach(kind)) {
      engine.study().tellVersion(report);
      var people = engine.study().enrol(CONVERSATIONS, ChannelKind.SIMULATOR);
      people.forEach(engine::greet);
      coach.open(people.stream().map(Participant::id).toList());
      var texts = new AtomicInteger();
      Cost.Turn ofLine =
          i -> {
            var number = texts.incrementAndGet();
            engine.answer(people.get(i), text(number), "SM" + number);
          };
      Cost.Turn ofCoach = i -> coach.answer(people.get(i).id(), text(texts.incrementAndGet()));
      measured(ofLine, WARM_UP_TURNS, SIDE_BY_SIDE).call();
      measured(ofCoach, WARM_UP_TURNS, SIDE_BY_SIDE).call();
      report(report, kind + ", one after the other", alternate(ofLine, ofCoach, TURNS_ALONE, 1));
      report(
          report,
          kind + ", " + SIDE_BY_SIDE + " at a time",
          alternate(ofLine, ofCoach, TURNS_SIDE_BY_SIDE, SIDE_BY_SIDE));
      if (!engine.outcomes().equals(List.of("replied"))) {
        throw new IllegalStateException("Not all turns replied: " + engine.outcomes());
      }
    }
  }

  private static Rounds<Cost> alternate(Cost.Turn ofLine, Cost.Turn ofCoach, int turns, int threads)
      throws Exception {
    return Rounds.alternate(
        ROUNDS, measured(ofLine, turns, threads), measured(ofCoach, turns, threads));
  }

  private static Callable<Cost> measured(Cost.Turn turn, int turns, int threads) {
    return () -> Cost.of(turn, turns, CONVERSATIONS, threads);
  }

  private static void report(Report report, String setting, Rounds<Cost> rounds) {
    report.add(rounds.as(Cost::wall, WHAT, setting, "ms", GOAL));
    report.add(rounds.as(Cost::cpu, WHAT, setting, "ms of CPU", GOAL));
  }

  private static String text(int number) {
    return ModelProcess.ANCHOR + "cup of tea number " + number;
  }

  private static ReferenceCoach coach(Kind kind) throws IOException {
    return ReferenceCoach.with(databases.freshPool(kind), model.baseUrl(), prompt());
  }

  /** Returns Habitline's prompt for the intake, without its placeholders. */
  private static String prompt() throws IOException {
    return Files.readString(Path.of("prompts", "intake_bot_system.txt"))
        .replaceAll("\\{\\{.*?}}", "");
  }
}
