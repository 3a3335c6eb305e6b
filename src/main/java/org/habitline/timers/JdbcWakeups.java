package org.habitline.timers;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.annotation.TypeDef;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.DataType;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.habitline.storage.StoredAsWord;
import org.jspecify.annotations.Nullable;

/**
 * Rows of wake-ups. A participant's open wake-ups are selected by participant and status together:
 * if asked for several statuses separately, H2 reads every wake-up that the participant ever had.
 */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcWakeups extends GenericRepository<JdbcWakeups.Row, String> {

  @Query(
      """
      INSERT INTO wakeup (id, participant_id, kind, due_at, wall_time, zone, guard, status, created_at, only_one)
      VALUES (:id, :participantId, :kind, :dueAt, :wallTime, :zone, :guard, 'waiting', :now, :onlyOne)\
      """)
  void insert(
      String id,
      String participantId,
      @StoredAsWord WakeupKind kind,
      Instant dueAt,
      String wallTime,
      String zone,
      String guard,
      Instant now,
      String onlyOne);

  @Query(
      """
      UPDATE wakeup SET status = 'cancelled', reason = :reason, ended_at = :now, only_one = NULL
      WHERE only_one = :onlyOne\
      """)
  int cancel(String onlyOne, String reason, Instant now);

  @Query(
      """
      UPDATE wakeup SET status = 'cancelled', reason = :reason, ended_at = :now, only_one = NULL
      WHERE (participant_id, status) IN ((:participantId, 'waiting'), (:participantId, 'rung'))
        AND kind IN (:kinds)\
      """)
  int cancel(
      String participantId, @StoredAsWord Collection<WakeupKind> kinds, String reason, Instant now);

  @Query(
      """
      SELECT * FROM wakeup WHERE status = 'waiting' AND due_at <= :now
      ORDER BY due_at LIMIT :most FOR UPDATE SKIP LOCKED\
      """)
  List<Row> claim(Instant now, int most);

  /**
   * Returns and locks due wake-ups on H2, which reads the index in its order anyway: with an ORDER
   * BY it locks and sorts everything that is due, for every batch.
   */
  @Query(
      "SELECT * FROM wakeup WHERE status = 'waiting' AND due_at <= :now LIMIT :most FOR UPDATE SKIP LOCKED")
  List<Row> claimInFile(Instant now, int most);

  @Query("UPDATE wakeup SET status = 'rung' WHERE id = ANY (:ids)")
  int rung(@TypeDef(type = DataType.STRING_ARRAY) String[] ids);

  @Query(
      """
      UPDATE wakeup SET status = :status, reason = :reason, ended_at = :now, only_one = NULL
      WHERE id = :id AND status = 'rung'\
      """)
  int end(String id, @StoredAsWord Wakeup.Status status, @Nullable String reason, Instant now);

  @Query("SELECT * FROM wakeup WHERE id = :id")
  Optional<Row> find(String id);

  @Query(
      """
      SELECT * FROM wakeup
      WHERE (participant_id, status) IN ((:participantId, 'waiting'), (:participantId, 'rung'))
      ORDER BY due_at, id\
      """)
  List<Row> open(String participantId);

  @Query("SELECT MIN(due_at) FROM wakeup WHERE status = 'waiting'")
  Optional<Instant> nextDue();

  /** Counts wake-ups that are due and still waiting; looks at no more than {@code most} rows. */
  @Query(
      """
      SELECT COUNT(*) AS count, MIN(w.due_at) AS oldest
      FROM (SELECT due_at FROM wakeup WHERE status = 'waiting' AND due_at <= :now
            ORDER BY due_at LIMIT :most) w\
      """)
  Late late(Instant now, int most);

  @Query(
      """
      SELECT DISTINCT due_at FROM wakeup WHERE status = 'waiting' AND due_at > :after AND due_at <= :until
      ORDER BY due_at LIMIT :most\
      """)
  List<Instant> dueBetween(Instant after, Instant until, int most);

  /**
   * Returns the waiting wake-ups of all participants after one of them, except those of requested
   * prompts.
   */
  @Query(
      """
      SELECT * FROM wakeup
      WHERE status = 'waiting' AND kind <> 'scripted' AND (due_at > :after OR due_at = :after AND id > :afterId)
      ORDER BY due_at, id LIMIT :most\
      """)
  List<Row> waiting(Instant after, String afterId, int most);

  @Query(
      """
      UPDATE wakeup SET status = 'cancelled', reason = :reason, ended_at = :now, only_one = NULL
      WHERE id = :id AND status = 'waiting'\
      """)
  int cancelWaiting(String id, String reason, Instant now);

  @Query("DELETE FROM wakeup WHERE participant_id = :participantId")
  int erase(String participantId);

  /** The number of late wake-ups, and the due time of the first. */
  @Introspected
  record Late(long count, @Nullable Instant oldest) {}

  /** A row as stored. */
  @MappedEntity("wakeup")
  record Row(
      @Id String id,
      String participantId,
      @StoredAsWord WakeupKind kind,
      Instant dueAt,
      String wallTime,
      String zone,
      String guard,
      @StoredAsWord Wakeup.Status status,
      @Nullable String reason,
      Instant createdAt) {}
}
