package org.habitline.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.habitline.RunningLine;
import org.habitline.SqlCounts;
import org.habitline.storage.Transactions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Events that are emitted together stand in the table as if each had been written by itself. */
@Tag("database")
final class EventsTest {

  private static RunningLine line;
  private static Events events;

  @BeforeAll
  static void build() {
    line = RunningLine.in(EventsTest.class).bean(new SqlCounts()).build();
    events = line.bean(Events.class);
  }

  @AfterAll
  static void close() {
    line.close();
  }

  private static void together(Runnable act) {
    var transactions = line.bean(Transactions.class);
    transactions.write(() -> {
      events.together(act);
    });
  }

  private static List<String> after(long seq) {
    return events.after(seq, 100).stream()
        .map(event -> event.type() + " " + event.participantId() + " " + event.payload())
        .toList();
  }

  @Test
  void theyStandInTheirOrderAndCostOneStatement() {
    var before = events.newest();
    var sql = line.bean(SqlCounts.class);
    sql.forget();
    together(() -> {
      events.emit("turn.started", "conv_a", Map.of("turn", 1));
      events.emit("message.unclaimed", null, Map.of());
      events.emit("turn.completed", "conv_a", Map.of("turn", 1));
    });
    assertThat(sql.of(Thread.currentThread().getName())).hasSize(2).endsWith(SqlCounts.COMMIT);
    assertThat(after(before))
        .containsExactly(
            "turn.started conv_a {\"turn\":1}",
            "message.unclaimed null {}",
            "turn.completed conv_a {\"turn\":1}");
  }

  @Test
  void whenNothingIsEmittedNothingIsAsked() {
    var sql = line.bean(SqlCounts.class);
    sql.forget();
    together(() -> {});
    assertThat(sql.of(Thread.currentThread().getName())).containsExactly(SqlCounts.COMMIT);
  }

  @Test
  void whatIsUndoneTellsNothing() {
    var before = events.newest();
    assertThatThrownBy(() ->
            together(() -> {
              events.emit("turn.completed", "conv_a", Map.of("turn", 2));
              throw new IllegalStateException("undone");
            }))
        .isInstanceOf(IllegalStateException.class);
    assertThat(after(before)).isEmpty();
  }
}
