package org.habitline.ops.access;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Queries of participants' chat tokens, stored as hashes only. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcChatTokens extends GenericRepository<JdbcChatTokens.Row, String> {

  @Query(
      """
      INSERT INTO participant_token (hash, participant_id, created_at, expires_at)
      VALUES (:hash, :participantId, :now, :expires)\
      """)
  void insert(String hash, String participantId, Instant now, Instant expires);

  @Query("SELECT participant_id FROM participant_token WHERE hash = :hash AND expires_at > :now")
  Optional<String> find(String hash, Instant now);

  /** Returns the hashes among these whose tokens are in force. */
  @Query("SELECT hash FROM participant_token WHERE hash IN (:hashes) AND expires_at > :now")
  List<String> inForce(List<String> hashes, Instant now);

  @Query("DELETE FROM participant_token WHERE participant_id = :participantId")
  int deleteOf(String participantId);

  @Query("DELETE FROM participant_token WHERE expires_at <= :now")
  int expire(Instant now);

  /** A row of {@code participant_token}. */
  @MappedEntity("participant_token")
  record Row(@Id String hash, String participantId, Instant createdAt, Instant expiresAt) {}
}
