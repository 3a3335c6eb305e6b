package org.habitline;

import io.micronaut.context.ApplicationContext;
import io.micronaut.data.connection.jdbc.advice.DelegatingDataSource;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Writes rows with plain JDBC, past everything that is tested. */
public final class Rows {

  private static final int AT_ONCE = 500;

  private final DataSource source;

  private Rows(DataSource source) {
    this.source = source;
  }

  public static Rows of(ApplicationContext context) {
    return new Rows(DelegatingDataSource.unwrapDataSource(context.getBean(DataSource.class)));
  }

  public static Rows of(RestLine line) {
    return new Rows(DelegatingDataSource.unwrapDataSource(line.bean(DataSource.class)));
  }

  public static Rows of(RunningLine line) {
    return new Rows(DelegatingDataSource.unwrapDataSource(line.bean(DataSource.class)));
  }

  /** Carries one statement out and commits it. */
  public void write(String sql, @Nullable Object... arguments) {
    writeAll(sql, List.of(Arrays.asList(arguments)));
  }

  /** Runs this while the database refuses rows of a table for which a condition holds. */
  public void refusing(String table, String condition, Runnable meanwhile) {
    write("ALTER TABLE " + table + " ADD CONSTRAINT refused CHECK (NOT (" + condition + "))");
    try {
      meanwhile.run();
    } finally {
      write("ALTER TABLE " + table + " DROP CONSTRAINT refused");
    }
  }

  /**
   * Carries a statement out for each row of arguments, and commits now and then: whoever else
   * writes to an H2 file waits ten seconds at most.
   */
  public void writeAll(String sql, List<? extends List<? extends @Nullable Object>> rows) {
    try (var connection = source.getConnection()) {
      connection.setAutoCommit(false);
      try (var statement = connection.prepareStatement(sql)) {
        for (int from = 0; from < rows.size(); from += AT_ONCE) {
          for (var row : rows.subList(from, Math.min(from + AT_ONCE, rows.size()))) {
            for (int i = 0; i < row.size(); i++) {
              statement.setObject(
                  i + 1,
                  row.get(i) instanceof Instant instant
                      ? instant.atOffset(ZoneOffset.UTC)
                      : row.get(i));
            }
            statement.addBatch();
          }
          statement.executeBatch();
          connection.commit();
        }
      }
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What there is of participants, but for their phones and what was erased of them. */
  private static final List<String> OF_PARTICIPANTS =
      List.of(
          "wakeup",
          "inbox",
          "outbox",
          "occurrence",
          "schedule",
          "iteration",
          "message",
          "turn",
          "lease",
          "record",
          "state_data",
          "participant_state",
          "participant");

  /** From now on nobody takes part in the study; call it when nobody's turn is running. */
  public void forgetEverybody() {
    OF_PARTICIPANTS.forEach(table -> write("DELETE FROM " + table));
  }

  /** One daily prompt. */
  public record Prompt(
      String participantId,
      String localDate,
      String status,
      Instant dueAt,
      @Nullable String reason,
      @Nullable Instant sentAt,
      @Nullable Instant respondedAt,
      boolean done) {}

  public void prompt(Prompt prompt) {
    write(
        """
        INSERT INTO occurrence (participant_id, local_date, slot, schedule_id, wall_time, zone, due_at, status,
                                reason, prompted_at, sent_at, responded_at, pending, outcome)
        VALUES (?, ?, 1, 'schedule', ?, 'Europe/Berlin', ?, ?, ?, CAST(? AS timestamp(6) with time zone),
                CAST(? AS timestamp(6) with time zone), CAST(? AS timestamp(6) with time zone), FALSE, ?)
        """,
        prompt.participantId(),
        prompt.localDate(),
        prompt.localDate() + "T08:15",
        prompt.dueAt(),
        prompt.status(),
        prompt.reason(),
        prompt.sentAt(),
        prompt.sentAt(),
        prompt.respondedAt(),
        prompt.done() ? "done" : null);
  }
}
