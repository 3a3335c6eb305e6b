package org.habitline.messaging;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The single row that says that the database is a restored backup. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcRestored extends GenericRepository<JdbcRestored.Row, Integer> {

  @Query("SELECT * FROM restored WHERE id = 1")
  Optional<Row> find();

  @Query("DELETE FROM restored WHERE id = 1")
  int delete();

  @Query(
      """
      INSERT INTO restored (id, made_at, inbox_seq, outbox_seq, skips, text_seq)
      SELECT 1, CAST(:madeAt AS timestamp(6) with time zone), (SELECT COALESCE(MAX(i.seq), 0) FROM inbox i),
             (SELECT COALESCE(MAX(o.seq), 0) FROM outbox o), FALSE, 0\
      """)
  int insert(Instant madeAt);

  @Query(
      """
      UPDATE restored SET decided_at = :now, skips = :skips, due_until = :dueUntil,
             text_seq = (SELECT COALESCE(MAX(i.seq), 0) FROM inbox i)
      WHERE id = 1 AND decided_at IS NULL\
      """)
  int decide(Instant now, boolean skips, Instant dueUntil);

  @Query(
      """
      UPDATE bulk_target SET status = 'undone', reason = :reason, ended_at = :now
      WHERE status = 'waiting' AND bulk_id IN (
        SELECT b.id FROM bulk_action b, restored r WHERE b.status = 'waiting' AND b.created_at <= r.made_at)\
      """)
  int endBulkTargets(Instant now, String reason);

  @Query(
      """
      UPDATE bulk_action SET status = 'undone', ended_at = :now, ended_by = :reason
      WHERE status = 'waiting' AND created_at <= (SELECT r.made_at FROM restored r)\
      """)
  int endBulkActions(Instant now, String reason);

  @Query(
      """
      UPDATE participant_import_row SET status = 'left_out', message = :reason
      WHERE status = 'waiting' AND import_id IN (
        SELECT p.id FROM participant_import p, restored r WHERE p.status = 'running' AND p.created_at <= r.made_at)\
      """)
  int leaveOutImported(String reason);

  @Query(
      """
      UPDATE participant_import SET status = 'done', finished_at = :now
      WHERE status = 'running' AND created_at <= (SELECT r.made_at FROM restored r)\
      """)
  int endImports(Instant now);

  @Query("SELECT MAX(at) FROM event")
  Optional<Instant> newestEvent();

  /**
   * A row as stored.
   *
   * @param inboxSeq the newest row of the inbox in the backup
   * @param outboxSeq the newest row of the outbox in the backup
   * @param decidedAt when staff decided (system time), or {@code null}
   * @param skips whether what waits is skipped
   * @param textSeq the newest row of the inbox at the decision
   * @param dueUntil study time of the decision, or {@code null}
   */
  @MappedEntity("restored")
  record Row(
      @Id int id,
      Instant madeAt,
      long inboxSeq,
      long outboxSeq,
      @Nullable Instant decidedAt,
      boolean skips,
      long textSeq,
      @Nullable Instant dueUntil) {}
}
