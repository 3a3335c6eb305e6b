package org.habitline.bench;

import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.habitline.bench.Databases.Kind;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Measures how fast wake-ups that are due at one instant become work in the inbox, compared with a
 * sweep that only marks them. No replies are sent meanwhile.
 */
@ExtendWith(Report.Handed.class)
final class WakeupBench {

  private static final int WAKEUPS = 10_000;
  private static final int PARTICIPANTS = 2_000;
  private static final int WARM_UP = 2;
  private static final int ROUNDS = 5;

  /** An address where nothing listens, because no model is asked here. */
  private static final String NO_MODEL = "http://127.0.0.1:9/v1";

  private static Databases databases;

  @BeforeAll
  static void start() {
    databases = Databases.start();
  }

  @AfterAll
  static void stop() throws IOException {
    databases.close();
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void wakeupsDueAtOneInstant(Kind kind, Report report) throws Exception {
    try (var engine = Engine.start(databases.fresh(kind), NO_MODEL);
        var plain = PlainSweep.on(Databases.preparedPool(databases.fresh(kind)))) {
      engine.study().tellVersion(report);
      var people =
          engine.study().enrol(PARTICIPANTS, ChannelKind.SIMULATOR).stream()
              .map(Participant::id)
              .toList();
      var ofLine = perSecond(engine.study().database(), people, engine.sweeps()::sweep);
      var ofPlain = perSecond(plain.database(), people, plain::sweep);
      Rounds.alternate(WARM_UP, ofLine, ofPlain);
      report.add(
          Rounds.alternate(ROUNDS, ofLine, ofPlain)
              .as(
                  Double::doubleValue,
                  WAKEUPS + " wake-ups due at one instant, until all are in the inbox",
                  kind.toString(),
                  "per second",
                  "≥ 0.5"));
      var work = engine.study().count("SELECT seq FROM inbox WHERE kind = 'woke'");
      if (work != WAKEUPS * (WARM_UP + ROUNDS)) {
        throw new IllegalStateException("The inbox has work for " + work + " wake-ups");
      }
    }
  }

  /**
   * Returns a measurement that stores the wake-ups of a round and returns how many were swept per
   * second.
   */
  private static Callable<Double> perSecond(
      DataSource database, List<String> people, Callable<Integer> sweep) {
    return () -> {
      var due = Instant.now().truncatedTo(ChronoUnit.SECONDS);
      Wakeups.store(database, people, WAKEUPS, i -> due);
      var began = System.nanoTime();
      var swept = sweep.call();
      var took = System.nanoTime() - began;
      if (swept != WAKEUPS) {
        throw new IllegalStateException(swept + " wake-ups were due");
      }
      return WAKEUPS * 1e9 / took;
    };
  }
}
