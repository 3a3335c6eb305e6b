package org.habitline.messaging;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Rows of the outbox. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcOutbox extends GenericRepository<JdbcOutbox.Row, Long> {

  @Query(
      """
      INSERT INTO outbox (id, participant_id, turn, message_id, kind, channel, body, status, open, attempts, planned_at)
      VALUES (:id, :participantId, :turn, :messageId, :kind, :channel, :body, 'planned', TRUE, 0, :plannedAt)\
      """)
  void insert(
      String id,
      String participantId,
      @Nullable Integer turn,
      @Nullable String messageId,
      String kind,
      String channel,
      String body,
      Instant plannedAt);

  @Query(
      "SELECT * FROM outbox WHERE open = TRUE AND participant_id = :participantId ORDER BY seq LIMIT 1")
  Optional<Row> firstOpen(String participantId);

  @Query(
      """
      SELECT * FROM outbox WHERE open = TRUE AND participant_id = :participantId AND status = 'planned'
      ORDER BY seq\
      """)
  List<Row> planned(String participantId);

  @Query(
      """
      UPDATE outbox SET status = 'sending', attempts = attempts + 1, sending_at = :now, attempted_at = :now
      WHERE id = :id AND status = 'planned' AND open = TRUE\
      """)
  int takeToSend(String id, Instant now);

  @Query(
      """
      UPDATE outbox SET status = 'looking', sending_at = :now
      WHERE id = :id AND status = 'unknown' AND open = TRUE\
      """)
  int takeToLookUp(String id, Instant now);

  /** The provider's ids of the participant's other texts. */
  @Query(
      """
      SELECT provider_id FROM outbox
      WHERE participant_id = :participantId AND id <> :id AND provider_id IS NOT NULL\
      """)
  List<String> otherIds(String participantId, String id);

  @Query("SELECT * FROM outbox WHERE provider_id = :providerId")
  Optional<Row> sentAs(String providerId);

  /** Forward only. */
  @Query(
      """
      UPDATE outbox SET status = :status, progress = :progress, error_code = COALESCE(:errorCode, error_code)
      WHERE id = :id AND progress < :progress AND status <> 'failed' AND open = FALSE\
      """)
  int move(String id, String status, int progress, @Nullable String errorCode);

  @Query(
      """
      UPDATE outbox SET status = :status, open = FALSE, provider_id = :providerId, reason = :reason, ended_at = :now
      WHERE id = :id AND open = TRUE\
      """)
  int end(
      String id, String status, @Nullable String providerId, @Nullable String reason, Instant now);

  @Query(
      """
      UPDATE outbox SET status = 'planned', reason = :reason, not_before = :notBefore, unknown_since = NULL
      WHERE id = :id AND open = TRUE\
      """)
  int putBack(String id, @Nullable String reason, Instant notBefore);

  @Query(
      """
      UPDATE outbox SET status = 'unknown', reason = :reason, not_before = :notBefore,
             unknown_since = COALESCE(unknown_since, :now)
      WHERE id = :id AND open = TRUE\
      """)
  int unknown(String id, @Nullable String reason, Instant notBefore, Instant now);

  /** A process that died left these; whether they were sent must be looked up. */
  @Query(
      """
      UPDATE outbox SET status = 'unknown', not_before = NULL, unknown_since = COALESCE(unknown_since, :now)
      WHERE open = TRUE AND status IN ('sending', 'looking')\
      """)
  int interrupted(Instant now);

  @Query(
      """
      UPDATE outbox SET status = 'refused', open = FALSE, reason = :reason, ended_at = :now
      WHERE participant_id = :participantId AND open = TRUE\
      """)
  int cancel(String participantId, String reason, Instant now);

  @Query(
      "SELECT COUNT(*) FROM outbox WHERE open = TRUE AND (not_before IS NULL OR not_before <= :now)")
  int unsent(Instant now);

  @Query("DELETE FROM outbox WHERE participant_id = :participantId")
  int erase(String participantId);

  @Query(
      """
      SELECT DISTINCT participant_id FROM outbox
      WHERE open = TRUE AND (not_before IS NULL OR not_before <= :now) LIMIT :most\
      """)
  List<String> due(Instant now, int most);

  @Query(
      """
      SELECT * FROM outbox WHERE participant_id = :participantId AND seq < :before
      ORDER BY participant_id DESC, seq DESC LIMIT :most\
      """)
  List<Row> newest(String participantId, long before, int most);

  /** A row as stored. */
  @MappedEntity("outbox")
  record Row(
      @Id long seq,
      String id,
      String participantId,
      @Nullable Integer turn,
      @Nullable String messageId,
      String kind,
      String channel,
      String body,
      String status,
      int attempts,
      @Nullable Instant notBefore,
      @Nullable String providerId,
      @Nullable String reason,
      Instant plannedAt,
      @Nullable Instant sendingAt,
      @Nullable Instant attemptedAt,
      int progress,
      @Nullable String errorCode,
      @Nullable Instant unknownSince,
      @Nullable Instant endedAt) {}
}
