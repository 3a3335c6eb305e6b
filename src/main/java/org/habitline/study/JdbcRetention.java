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

  /** Marks deliveries that are still open: their words go later. */
  @Query("UPDATE outbox SET clear_due = TRUE WHERE open = TRUE AND message_id IN (:ids)")
  int clearDeliveriesLater(List<String> ids);

  @Query("SELECT o.id FROM outbox o WHERE o.message_id IN (:ids)")
  List<String> deliveries(List<String> ids);

  /**
   * Returns the deliveries of a turn that belong to no message, such as debug messages; those of
   * incidents have a retention of their own.
   */
  @Query(
      """
      SELECT o.id FROM outbox o
      WHERE o.participant_id = :participantId AND o.turn = :turn AND o.message_id IS NULL
        AND o.kind NOT IN ('crisis', 'alert')\
      """)
  List<String> withoutMessage(String participantId, int turn);

  /** Marks deliveries whose words are to go as soon as they are closed. */
  @Query("UPDATE outbox SET clear_due = TRUE WHERE id IN (:ids)")
  int clearLater(List<String> ids);

  /** Returns deliveries whose words are to go and that are closed. */
  @Query("SELECT o.id FROM outbox o WHERE o.clear_due = TRUE AND o.open = FALSE LIMIT :most")
  List<String> closedToClear(int most);

  @Query(
      """
      UPDATE outbox SET body = '', template = NULL, buttons = NULL, clear_due = FALSE WHERE id IN (:ids)\
      """)
  int clearClosed(List<String> ids);

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

  /** Returns the model calls of a turn that called tools and are not cleared. */
  @Query(
      """
      SELECT i.number AS number, i.child AS child, i.tool_calls AS tool_calls FROM iteration i
      WHERE i.participant_id = :participantId AND i.turn = :turn AND i.cleared_at IS NULL
        AND i.tool_calls <> '[]'\
      """)
  List<Tools> tools(String participantId, int turn);

  @Query(
      """
      UPDATE iteration SET tool_calls = :calls
      WHERE participant_id = :participantId AND turn = :turn AND number = :number AND child = :child\
      """)
  int clearTools(String participantId, int turn, int number, int child, String calls);

  /**
   * Clears the model calls of a turn; {@link #clearTools} leaves what stays of their tool calls.
   */
  @Query(
      """
      UPDATE iteration SET messages = '[]', answer = NULL, cleared_at = :now,
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

  @Query("UPDATE unclaimed_text SET body = '', data = NULL WHERE seq IN (:numbers)")
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

  /** A model call of a turn with its tool calls, as JSON. */
  @Introspected
  record Tools(int number, int child, String toolCalls) {}

  /** An entry of the audit log. */
  @Introspected
  record Entry(long seq, Instant at) {}
}
