package org.habitline.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.habitline.RunningLine;
import org.habitline.SqlCounts;
import org.habitline.participants.Participant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What a turn reads of H2 does not grow with what a participant said and was prompted: H2 tells how
 * it finds the rows of a statement.
 */
final class RowsPerTurnTest {

  private static RunningLine line;
  private static SqlCounts sql;
  private static Participant robin;

  @BeforeAll
  static void answer() {
    line = RunningLine.in(RowsPerTurnTest.class).bean(new SqlCounts()).start();
    sql = line.bean(SqlCounts.class);
    robin = line.greeted();
    line.answered(robin, "hello");
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  private static String plan(String beginning, Object... arguments) {
    var statement =
        sql.of("turn-" + robin.id()).stream()
            .filter(said -> said.startsWith(beginning))
            .findFirst()
            .orElseThrow();
    return line.rows("EXPLAIN " + statement, arguments).getFirst().values().toString();
  }

  @Test
  void theHistoryIsReadFromItsEnd() {
    assertThat(plan("SELECT m.id, m.seq, m.role, m.content", robin.id(), 30))
        .contains("message_of")
        .contains("index sorted")
        .contains("outbox_message");
  }

  @Test
  void ofWakeupsOnlyThoseThatAreOpenAreRead() {
    assertThat(
            plan(
                "UPDATE wakeup",
                "the participant replied",
                Instant.EPOCH,
                robin.id(),
                robin.id(),
                "check_in",
                "follow_up",
                "nudge"))
        .containsPattern("wakeup_of: +IN\\(ROW");
  }

  @Test
  void whatWaitsIsReadWithoutWhatIsDone() {
    assertThat(plan("SELECT * FROM inbox", robin.id(), 100)).contains("inbox_waiting");
  }
}
