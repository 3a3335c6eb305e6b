package org.habitline.study;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import org.habitline.protocol.RetentionPlan.Kind;
import org.habitline.storage.StoredAsWord;
import org.jspecify.annotations.Nullable;

/**
 * Removes words whose retention is over. The rows of messages, deliveries, texts and model calls
 * stay with their ids, times and counts.
 */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcRetention extends GenericRepository<JdbcRetention.Run, String> {

  @Query("SELECT * FROM retention_run ORDER BY kind")
  List<Run> runs();

  @Query(
      """
      UPDATE retention_run SET cleared_before = :before, ran_at = :now, changed = :rows WHERE kind = :what\
      """)
  int ran(@StoredAsWord Kind what, Instant before, Instant now, long rows);

  @Query(
      """
      INSERT INTO retention_run (kind, cleared_before, ran_at, changed) VALUES (:what, :before, :now, :rows)
      ON CONFLICT DO NOTHING\
      """)
  int first(@StoredAsWord Kind what, Instant before, Instant now, long rows);

  /**
   * Returns the oldest messages of a period that are not cleared; those of incidents have a
   * retention of their own.
   */
  @Query(
      """
      SELECT m.id AS id, m.participant_id AS participant_id, m.turn AS turn FROM message m
      WHERE m.created_at >= :since AND m.created_at < :before AND m.cleared_at IS NULL
        AND m.incident_id IS NULL
      ORDER BY m.created_at LIMIT :most\
      """)
  List<Said> messages(Instant since, Instant before, int most);

  @Query("UPDATE message SET content = '', cleared_at = :now WHERE id IN (:ids)")
  int clearMessages(List<String> ids, Instant now);

  @Query(
      """
      UPDATE outbox SET body = '', template = NULL, buttons = NULL WHERE open = FALSE AND message_id IN (:ids)\
      """)
  int clearDeliveries(List<String> ids);

  @Query("SELECT o.id FROM outbox o WHERE o.message_id IN (:ids)")
  List<String> deliveries(List<String> ids);

  @Query("UPDATE simulated_phone_text SET body = '' WHERE delivery_id IN (:ids)")
  int clearPhones(List<String> ids);

  @Query(
      """
      UPDATE inbox SET body = '', data = NULL
      WHERE participant_id = :participantId AND turn = :turn AND status = 'done' AND incident_id IS NULL\
      """)
  int clearTexts(String participantId, int turn);

  /** Returns the turns of the oldest model calls of a period that are not cleared. */
  @Query(
      """
      SELECT i.participant_id AS participant_id, i.turn AS turn, i.started_at AS started_at FROM iteration i
      WHERE i.started_at >= :since AND i.started_at < :before AND i.cleared_at IS NULL
      ORDER BY i.started_at LIMIT :most\
      """)
  List<Call> calls(Instant since, Instant before, int most);

  @Query(
      """
      UPDATE iteration SET messages = '[]', answer = NULL, tool_calls = '[]', cleared_at = :now,
             metadata = REGEXP_REPLACE(metadata, '"gate_note":"([^"\\\\]|\\\\.)*"', '"gate_note":""')
      WHERE participant_id = :participantId AND turn = :turn AND cleared_at IS NULL\
      """)
  int clearCalls(String participantId, int turn, Instant now);

  /** Returns the oldest responses to requested prompts of a period that have words. */
  @Query(
      """
      SELECT r.seq FROM prompt_response r WHERE r.received_at < :before AND r.body <> '' ORDER BY r.seq LIMIT :most\
      """)
  List<Long> responses(Instant before, int most);

  @Query("UPDATE prompt_response SET body = '' WHERE seq IN (:numbers)")
  int clearResponses(List<Long> numbers);

  /** Returns the oldest unmatched texts that have words and are decided. */
  @Query(
      """
      SELECT u.seq FROM unclaimed_text u
      WHERE u.received_at < :before AND u.body <> '' AND u.status <> 'waiting' ORDER BY u.seq LIMIT :most\
      """)
  List<Long> unclaimed(Instant before, int most);

  @Query("UPDATE unclaimed_text SET body = '', raw = NULL, data = NULL WHERE seq IN (:numbers)")
  int clearUnclaimed(List<Long> numbers);

  /** Returns the oldest entries of the audit log, those before an instant first. */
  @Query("SELECT a.seq AS seq, a.at AS at FROM audit_event a ORDER BY a.seq LIMIT :most")
  List<Entry> entries(int most);

  @Query("DELETE FROM audit_event WHERE seq IN (:numbers)")
  int deleteEntries(List<Long> numbers);

  /**
   * The last time data of a kind was looked at.
   *
   * @param clearedBefore what is older is removed
   * @param ranAt system time
   * @param changed how many rows or files were removed or cleared then
   */
  @MappedEntity("retention_run")
  record Run(@Id @StoredAsWord Kind kind, Instant clearedBefore, Instant ranAt, long changed) {}

  /** A message of a turn. */
  @Introspected
  record Said(String id, String participantId, int turn) {}

  /** A model call of a turn. */
  @Introspected
  record Call(String participantId, int turn, @Nullable Instant startedAt) {}

  /** An entry of the audit log. */
  @Introspected
  record Entry(long seq, Instant at) {}
}
