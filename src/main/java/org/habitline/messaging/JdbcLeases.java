package org.habitline.messaging;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.annotation.TypeDef;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.DataType;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Rows of the lease table: one for each participant. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcLeases extends GenericRepository<JdbcLeases.Row, String> {

  /** Inserts a free lease unless there is one; a contact who is enrolled has one already. */
  @Query(
      "INSERT INTO lease (participant_id, token) VALUES (:participantId, 0) ON CONFLICT DO NOTHING")
  void insert(String participantId);

  /** Takes the lease if it is free and has not changed since it was read; returns 1 if it did. */
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

  /** Extends several leases together; rows that are locked are left for the next time. */
  @Query(
      """
      UPDATE lease SET held_until = :until
      WHERE participant_id IN
            (SELECT l.participant_id
             FROM UNNEST(CAST(:participantIds AS varchar ARRAY), CAST(:tokens AS bigint ARRAY)) AS t (id, token)
                  JOIN lease l ON l.participant_id = t.id AND l.token = t.token
             WHERE l.owner = :owner AND l.held_until >= :now
             FOR NO KEY UPDATE OF l SKIP LOCKED)\
      """)
  int extendAll(
      String owner,
      @TypeDef(type = DataType.STRING_ARRAY) String[] participantIds,
      @TypeDef(type = DataType.LONG_ARRAY) Long[] tokens,
      Instant until,
      Instant now);

  /**
   * Extends several leases on H2, which has one writer and cannot lock some rows of a join. {@code
   * MERGE} finds each lease by its key; an {@code UPDATE} would compare each with all others.
   */
  @Query(
      """
      MERGE INTO lease l
      USING UNNEST(CAST(:participantIds AS varchar ARRAY), CAST(:tokens AS bigint ARRAY)) AS t (id, token)
      ON l.participant_id = t.id
      WHEN MATCHED AND l.token = t.token AND l.owner = :owner AND l.held_until >= :now
      THEN UPDATE SET held_until = :until\
      """)
  int extendAllInFile(
      String owner,
      @TypeDef(type = DataType.STRING_ARRAY) String[] participantIds,
      @TypeDef(type = DataType.LONG_ARRAY) Long[] tokens,
      Instant until,
      Instant now);

  @Query(
      """
      UPDATE lease SET owner = NULL, held_until = NULL
      WHERE participant_id = :participantId AND owner = :owner AND token = :token AND held_until >= :now\
      """)
  int release(String participantId, String owner, long token, Instant now);

  @Query("UPDATE lease SET owner = NULL, held_until = NULL WHERE owner IS NOT NULL")
  int releaseAll();

  /** Releases the lease and marks it as handed over, so that it does not look like a crash. */
  @Query(
      """
      UPDATE lease SET owner = NULL, held_until = NULL, handed_over = token
      WHERE participant_id = :participantId AND owner = :owner AND token = :token\
      """)
  int handOver(String participantId, String owner, long token);

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
