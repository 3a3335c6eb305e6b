package org.habitline.bench;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.habitline.bench.Databases.Kind;
import org.habitline.participants.ChannelKind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Measures by how much the database grows with 1,000 turns, table by table, compared with the
 * transcript alone: the table of messages. Everything else is what is recorded about a turn.
 */
@ExtendWith(Report.Handed.class)
final class GrowthBench {

  private static final String WHAT = "database growth with 1,000 turns";
  private static final String NO_GOAL = "–";
  private static final String ALL = "all tables";
  private static final String TRANSCRIPT = "message";
  private static final int CONVERSATIONS = 64;
  private static final int SIDE_BY_SIDE = 16;

  /** Enough turns to make every conversation longer than the history that a model is shown. */
  private static final int WARM_UP_TURNS = CONVERSATIONS * 32;

  private static final int TURNS = CONVERSATIONS * 16;
  private static final int ROUNDS = 3;

  /** Tables that grow by less than this, in kB, are only in the sum. */
  private static final double WORTH_A_ROW = 20;

  private static Databases databases;
  private static ModelProcess model;

  /** What happens in a turn. */
  enum Turns {
    WITHOUT_A_TOOL_CALL("one model call, no tool call", "I had a "),
    WITH_A_TOOL_CALL("one tool call, two model calls", ModelProcess.ANCHOR);

    private final String words;
    private final String text;

    Turns(String words, String text) {
      this.words = words;
      this.text = text;
    }
  }

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
  @EnumSource(Turns.class)
  void aThousandTurns(Turns turns, Report report) throws Exception {
    try (var engine = Engine.start(databases.fresh(Kind.POSTGRESQL), model.baseUrl())) {
      engine.study().tellVersion(report);
      var people = engine.study().enrol(CONVERSATIONS, ChannelKind.SIMULATOR);
      people.forEach(engine::greet);
      var texts = new AtomicInteger();
      Cost.Turn turn =
          i -> {
            var number = texts.incrementAndGet();
            engine.answer(people.get(i), turns.text + "cup of tea number " + number, "SM" + number);
          };
      Cost.of(turn, WARM_UP_TURNS, CONVERSATIONS, SIDE_BY_SIDE);
      var rounds = new ArrayList<Map<String, Double>>();
      var before = sizes(engine.study().database());
      for (int round = 0; round < ROUNDS; round++) {
        Cost.of(turn, TURNS, CONVERSATIONS, SIDE_BY_SIDE);
        var after = sizes(engine.study().database());
        rounds.add(growth(before, after));
        before = after;
      }
      for (var table : rounds.getFirst().keySet()) {
        var measured = new Rounds<Double>();
        rounds.forEach(growth -> measured.add(of(growth, table), of(growth, TRANSCRIPT)));
        var row =
            measured.as(
                Double::doubleValue, WHAT, turns.words + ", " + table, "kB on PostgreSQL", NO_GOAL);
        if (row.line() >= WORTH_A_ROW) {
          report.add(row);
        }
      }
    }
  }

  /** Returns by how many kB each table has grown with 1,000 turns, with its indexes. */
  private static Map<String, Double> growth(Map<String, Long> before, Map<String, Long> after) {
    var growth = new TreeMap<String, Double>();
    after.forEach(
        (table, bytes) -> growth.put(table, (bytes - of(before, table)) / 1e3 * 1_000 / TURNS));
    growth.put(ALL, growth.values().stream().mapToDouble(Double::doubleValue).sum());
    return growth;
  }

  private static <N> N of(Map<String, N> figures, String table) {
    return Objects.requireNonNull(figures.get(table), table);
  }

  /**
   * Returns the size of each table with its indexes, in bytes, without dead rows and free space.
   */
  private static Map<String, Long> sizes(DataSource database) throws SQLException {
    try (var connection = database.getConnection();
        var statement = connection.createStatement()) {
      statement.execute("VACUUM FULL");
      try (var found =
          statement.executeQuery(
              "SELECT relname, pg_total_relation_size(oid) FROM pg_class"
                  + " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace")) {
        var sizes = new TreeMap<String, Long>();
        while (found.next()) {
          sizes.put(found.getString(1), found.getLong(2));
        }
        return sizes;
      }
    }
  }
}
