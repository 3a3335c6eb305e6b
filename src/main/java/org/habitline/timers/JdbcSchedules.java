package org.habitline.timers;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.time.LocalTime;
import java.util.List;
import java.util.Optional;
import org.habitline.storage.StoredAsWord;
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

  /** Returns the running schedules and the occurrences since a date, newest first, in one query. */
  @Query(
      """
      SELECT id AS schedule_id, slot, type, starts, ends, created_at,
             NULL AS local_date, NULL AS wall_time, NULL AS zone, NULL AS due_at, NULL AS status, NULL AS reason,
             NULL AS turn, NULL AS prompted_at, NULL AS sent_at, NULL AS pending, NULL AS reminder_due_at,
             NULL AS reminded_at, NULL AS responded_at, NULL AS asked_at, NULL AS question_open, NULL AS outcome
      FROM schedule WHERE participant_id = :participantId AND ended_at IS NULL
      UNION ALL
      SELECT schedule_id, slot, NULL, NULL, NULL, NULL, local_date, wall_time, zone, due_at, status, reason,
             turn, prompted_at, sent_at, pending, reminder_due_at, reminded_at, responded_at, asked_at,
             question_open, outcome
      FROM occurrence WHERE participant_id = :participantId AND local_date >= :since
      ORDER BY local_date DESC, slot DESC\
      """)
  List<Standing> standing(String participantId, String since);

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

  /**
   * A running schedule, or an occurrence.
   *
   * @param localDate {@code null} for a schedule
   */
  @MappedEntity
  record Standing(
      String scheduleId,
      int slot,
      @Nullable String type,
      @Nullable String starts,
      @Nullable String ends,
      @Nullable Instant createdAt,
      @Nullable String localDate,
      @Nullable String wallTime,
      @Nullable String zone,
      @Nullable Instant dueAt,
      @StoredAsWord Occurrence.@Nullable Status status,
      @Nullable String reason,
      @Nullable Integer turn,
      @Nullable Instant promptedAt,
      @Nullable Instant sentAt,
      @Nullable Boolean pending,
      @Nullable Instant reminderDueAt,
      @Nullable Instant remindedAt,
      @Nullable Instant respondedAt,
      @Nullable Instant askedAt,
      @Nullable Boolean questionOpen,
      @StoredAsWord @Nullable PromptOutcome outcome) {

    Optional<Row> schedule(String participantId) {
      return localDate == null && type != null && starts != null && createdAt != null
          ? Optional.of(
              new Row(scheduleId, participantId, slot, type, starts, ends, createdAt, null, null))
          : Optional.empty();
    }

    Optional<JdbcOccurrences.Row> occurrence(String participantId) {
      return localDate != null
              && wallTime != null
              && zone != null
              && dueAt != null
              && status != null
              && pending != null
              && questionOpen != null
          ? Optional.of(
              new JdbcOccurrences.Row(
                  participantId,
                  localDate,
                  slot,
                  scheduleId,
                  wallTime,
                  zone,
                  dueAt,
                  status,
                  reason,
                  turn,
                  promptedAt,
                  sentAt,
                  pending,
                  reminderDueAt,
                  remindedAt,
                  respondedAt,
                  askedAt,
                  questionOpen,
                  outcome))
          : Optional.empty();
    }
  }

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
      @Nullable String endedBy) {

    Schedule schedule() {
      var start = LocalTime.parse(starts);
      return new Schedule(
          id,
          slot,
          ends == null
              ? new DailyTime.Fixed(start)
              : new DailyTime.Random(start, LocalTime.parse(ends)),
          createdAt);
    }
  }
}
