package org.habitline.messaging;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Rows of the lease table: one for each participant. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcLeases extends GenericRepository<JdbcLeases.Row, String> {

  /** A contact who is enrolled has one already. */
  @Query(
      "INSERT INTO lease (participant_id, token) VALUES (:participantId, 0) ON CONFLICT DO NOTHING")
  void insert(String participantId);

  /** Takes it if it is as it was seen, and free. */
  @Query(
      """
      UPDATE lease SET owner = :owner, token = token + 1, held_until = :until
      WHERE participant_id = :participantId AND token = :seenToken
        AND owner IS NOT DISTINCT FROM CAST(:seenOwner AS varchar)
        AND (owner IS NULL OR held_until < :now)\
      """)
  int take(
      String participantId,
      String owner,
      Instant until,
      Instant now,
      long seenToken,
      @Nullable String seenOwner);

  @Query(
      """
      UPDATE lease SET held_until = :until
      WHERE participant_id = :participantId AND owner = :owner AND token = :token AND held_until >= :now\
      """)
  int extend(String participantId, String owner, long token, Instant until, Instant now);

  @Query(
      """
      UPDATE lease SET owner = NULL, held_until = NULL
      WHERE participant_id = :participantId AND owner = :owner AND token = :token AND held_until >= :now\
      """)
  int release(String participantId, String owner, long token, Instant now);

  @Query("UPDATE lease SET owner = NULL, held_until = NULL WHERE owner IS NOT NULL")
  int releaseAll();

  @Query(
      """
      UPDATE lease SET owner = NULL, held_until = NULL, handed_over = token
      WHERE owner = :owner\
      """)
  int releaseOwn(String owner);

  @Query(
      """
      UPDATE lease SET owner = NULL, held_until = NULL, token = token + 1
      WHERE participant_id = :participantId\
      """)
  int revoke(String participantId);

  @Query("DELETE FROM lease WHERE participant_id = :participantId")
  int erase(String participantId);

  /** A row as stored. */
  @MappedEntity("lease")
  record Row(
      @Id String participantId,
      @Nullable String owner,
      long token,
      @Nullable Instant heldUntil,
      @Nullable Long handedOver) {}
}
