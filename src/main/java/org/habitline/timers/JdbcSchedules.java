package org.habitline.timers;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of schedules. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcSchedules extends GenericRepository<JdbcSchedules.Row, String> {

  @Query(
      """
      INSERT INTO schedule (id, participant_id, slot, type, starts, ends, created_at, running)
      VALUES (:id, :participantId, :slot, :type, :starts, :ends, :createdAt, :running)\
      """)
  void insert(
      String id,
      String participantId,
      int slot,
      String type,
      String starts,
      @Nullable String ends,
      Instant createdAt,
      String running);

  @Query(
      "SELECT * FROM schedule WHERE participant_id = :participantId AND ended_at IS NULL ORDER BY slot")
  List<Row> running(String participantId);

  @Query("SELECT * FROM schedule WHERE participant_id = :participantId ORDER BY created_at, id")
  List<Row> all(String participantId);

  @Query(
      """
      UPDATE schedule SET ended_at = :now, ended_by = :how, running = NULL
      WHERE participant_id = :participantId AND slot = :slot AND ended_at IS NULL\
      """)
  int end(String participantId, int slot, String how, Instant now);

  @Query("DELETE FROM schedule WHERE participant_id = :participantId AND id = :id")
  int remove(String participantId, String id);

  @Query("DELETE FROM schedule WHERE participant_id = :participantId")
  int erase(String participantId);

  /** A row as stored. */
  @MappedEntity("schedule")
  record Row(
      @Id String id,
      String participantId,
      int slot,
      String type,
      String starts,
      @Nullable String ends,
      Instant createdAt,
      @Nullable Instant endedAt,
      @Nullable String endedBy) {}
}
