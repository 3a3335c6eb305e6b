package org.habitline.staff.web;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Stores requests carried out under an Idempotency-Key. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcIdempotency extends GenericRepository<JdbcIdempotency.Row, String> {

  @Query(
      """
      INSERT INTO idempotency (key_hash, request_hash, status, response, created_at)
      VALUES (:keyHash, :requestHash, 0, '', :now) ON CONFLICT DO NOTHING\
      """)
  int begin(String keyHash, String requestHash, Instant now);

  @Query(
      """
      UPDATE idempotency SET participant_id = :participantId, status = :status, response = :response
      WHERE key_hash = :keyHash\
      """)
  int answer(String keyHash, String participantId, int status, String response);

  /**
   * Clears a participant's rows, except that the key was used. The request hash goes too, because
   * hashes of numbers and names can be guessed.
   */
  @Query(
      """
      UPDATE idempotency SET status = :status, response = '', request_hash = ''
      WHERE participant_id = :participantId\
      """)
  int clear(String participantId, int status);

  /** Clears those of a participant's rows whose reply has this id, as {@link #clear} does. */
  @Query(
      """
      UPDATE idempotency SET status = :status, response = '', request_hash = ''
      WHERE participant_id = :participantId AND POSITION(:id IN response) > 0\
      """)
  int clearOf(String participantId, String id, int status);

  @Query("SELECT * FROM idempotency WHERE key_hash = :keyHash")
  Optional<Row> find(String keyHash);

  @Query("DELETE FROM idempotency WHERE created_at < :before")
  int forget(Instant before);

  @MappedEntity("idempotency")
  record Row(
      @Id String keyHash,
      String requestHash,
      @Nullable String participantId,
      int status,
      String response,
      Instant createdAt) {}
}
